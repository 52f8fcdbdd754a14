import type { ExecutionGraph } from '../graph.ts';
import { type Arrow, type Box, type DrawOptions, drawingOf, type Frame } from './drawing.ts';
import { plain } from './words.ts';

const ARROWS: Readonly<Record<Arrow['how'], string>> = { host: '-->', spread: '==>', gather: '-.->' };

/** The plan for Mermaid: thin arrows go host by host, thick ones spread to hosts, dotted ones gather from them. */
export function renderMermaid(graph: ExecutionGraph, options: DrawOptions = {}): string {
  const drawing = drawingOf(graph, options);
  let frames = 0;
  const inside = (frame: Frame, indent: string): readonly string[] => [
    ...frame.boxes.map((box) => `${indent}${boxText(box)}`),
    ...frame.frames.flatMap((inner) => [
      `${indent}subgraph s${frames++}["${escaped(inner.label)}"]`,
      ...inside(inner, `${indent}  `),
      `${indent}end`,
    ]),
  ];
  return [
    'flowchart LR',
    ...(drawing.remark === undefined ? [] : [`  %% ${drawing.remark}`]),
    ...inside(drawing.frame, '  '),
    ...drawing.arrows.map((arrow) => `  ${arrow.from} ${ARROWS[arrow.how]} ${arrow.to}`),
    '',
  ].join('\n');
}

function boxText(box: Box): string {
  const label = box.lines
    .filter((line) => line !== '')
    .map(escaped)
    .join('<br/>');
  return box.shape === 'diamond' ? `${box.name}{"${label}"}` : `${box.name}["${label}"]`;
}

/** Everything that Mermaid, Markdown or HTML might act on becomes a character code. */
function escaped(text: string): string {
  return plain(text).replace(/[^\p{L}\p{N} /.,:@+=‹›…␤-]/gu, (char) => `#${char.codePointAt(0)};`);
}
