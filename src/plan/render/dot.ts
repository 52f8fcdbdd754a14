import type { ExecutionGraph } from '../graph.ts';
import { type Arrow, type DrawOptions, drawingOf, type Frame } from './drawing.ts';
import { plain } from './words.ts';

const EDGES: Readonly<Record<Arrow['how'], string>> = {
  host: '',
  spread: ' [style=bold]',
  gather: ' [style=dashed]',
};

/** The plan for Graphviz: solid arrows go host by host, bold ones spread to hosts, dashed ones gather from them. */
export function renderDot(graph: ExecutionGraph, options: DrawOptions = {}): string {
  const drawing = drawingOf(graph, options);
  let frames = 0;
  const inside = (frame: Frame, indent: string): readonly string[] => [
    ...frame.boxes.map(
      (box) => `${indent}${box.name} [label=${quoted(box.lines)}${box.shape === 'diamond' ? ', shape=diamond' : ''}];`,
    ),
    ...frame.frames.flatMap((inner) => [
      `${indent}subgraph cluster_${frames++} {`,
      `${indent}  label=${quoted([inner.label])};`,
      ...inside(inner, `${indent}  `),
      `${indent}}`,
    ]),
  ];
  return [
    'digraph plan {',
    ...(drawing.remark === undefined ? [] : [`  label=${quoted([drawing.remark])};`]),
    '  rankdir=LR;',
    '  node [shape=box, style=rounded];',
    ...inside(drawing.frame, '  '),
    ...drawing.arrows.map((arrow) => `  ${arrow.from} -> ${arrow.to}${EDGES[arrow.how]};`),
    '}',
    '',
  ].join('\n');
}

/** Lines as one quoted label: a backslash, quote or entity in a name stays what it is. */
function quoted(lines: readonly string[]): string {
  const escaped = lines
    .filter((line) => line !== '')
    .map((line) => plain(line).replaceAll('&', '&amp;').replace(/[\\"]/g, '\\$&'));
  return `"${escaped.join('\\n')}"`;
}
