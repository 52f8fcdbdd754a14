import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../test/plans/cases.ts';
import { hosts, local, many, step } from '../../../test/plans/fixtures.ts';
import { runs } from '../../../test/rig/thorough.ts';
import { barrier, join, mapNodes, on, parallel, perHost, sequence } from '../combinators.ts';
import { buildGraph, type ExecutionGraph } from '../graph.ts';
import { renderDot } from './dot.ts';
import { renderMermaid } from './mermaid.ts';

interface Read {
  readonly labels: ReadonlyMap<string, string>;
  readonly frames: readonly string[];
  readonly arrows: readonly string[];
}

/** Reads the part of the DOT grammar that plans use; throws where it is not that grammar. */
function readDot(text: string): Read {
  const tokens = text.match(/"(?:[^"\\]|\\[\s\S])*"|->|[A-Za-z_]\w*|[{}[\];=,]|\S/g) ?? [];
  let at = 0;
  const next = (wanted?: string): string => {
    const token = tokens[at++];
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw new Error(`${token} instead of ${wanted}`);
    return token;
  };
  const word = (): string => {
    const token = next();
    if (token.startsWith('"')) {
      const text = token.slice(1, -1).replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
      return text.replaceAll('&amp;', '&');
    }
    if (!/^[A-Za-z_]\w*$/.test(token)) throw new Error(`${token} is no word`);
    return token;
  };
  const labels = new Map<string, string>();
  const frames: string[] = [];
  const arrows: string[] = [];
  const attributes = (): Record<string, string> => {
    const found: Record<string, string> = {};
    if (tokens[at] !== '[') return found;
    for (next('['); ; next(',')) {
      const name = word();
      next('=');
      found[name] = word();
      if (tokens[at] === ']') break;
    }
    next(']');
    return found;
  };
  const statements = (): void => {
    for (next('{'); tokens[at] !== '}'; ) {
      const name = word();
      if (name === 'subgraph') {
        word();
        statements();
        continue;
      }
      if (tokens[at] === '=') {
        next('=');
        const value = word();
        if (name === 'label') frames.push(value);
      } else if (tokens[at] === '->') {
        next('->');
        const to = word();
        arrows.push(`${name} ${{ bold: 'spread', dashed: 'gather' }[attributes()['style'] ?? ''] ?? 'host'} ${to}`);
      } else {
        const found = attributes();
        if (name !== 'node') labels.set(name, `${found['shape'] === 'diamond' ? '◇' : ''}${found['label']}`);
      }
      next(';');
    }
    next('}');
  };
  next('digraph');
  word();
  statements();
  if (at !== tokens.length) throw new Error('more than a graph');
  return { labels, frames, arrows };
}

/** Reads the part of Mermaid that plans use, line by line; labels may hold nothing that Mermaid acts on. */
function readMermaid(text: string): Read {
  const labels = new Map<string, string>();
  const frames: string[] = [];
  const arrows: string[] = [];
  let depth = 0;
  const [head, ...lines] = text.trimEnd().split('\n');
  if (head !== 'flowchart LR') throw new Error('no flowchart');
  const label = (escaped: string): string => {
    if (/["`[\]{}<>\\;#]/.test(escaped.replace(/#\d+;|<br\/>/g, ''))) throw new Error(`${escaped} is not escaped`);
    return escaped
      .replaceAll('<br/>', '\n')
      .replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
  };
  for (const line of lines.map((one) => one.trim())) {
    const box = /^(n\d+)(?:\["(.*)"\]|\{"(.*)"\})$/.exec(line);
    const frame = /^subgraph s\d+\["(.*)"\]$/.exec(line);
    const arrow = /^(n\d+) (-->|==>|-\.->) (n\d+)$/.exec(line);
    if (box) labels.set(box[1]!, box[2] !== undefined ? label(box[2]) : `◇${label(box[3]!)}`);
    else if (frame) {
      frames.push(label(frame[1]!));
      depth++;
    } else if (arrow)
      arrows.push(`${arrow[1]} ${{ '==>': 'spread', '-.->': 'gather' }[arrow[2]!] ?? 'host'} ${arrow[3]}`);
    else if (line === 'end') depth--;
    else if (!line.startsWith('%% ')) throw new Error(`${line} is no line of a flowchart`);
  }
  if (depth !== 0) throw new Error('a subgraph is open');
  return { labels, frames, arrows };
}

const languages: readonly [string, (graph: ExecutionGraph, options?: { readonly expand?: boolean }) => Read][] = [
  ['DOT', (graph, options) => readDot(renderDot(graph, options))],
  ['Mermaid', (graph, options) => readMermaid(renderMermaid(graph, options))],
];

describe.each(languages)('%s', (_name, draw) => {
  const named = ({ labels, arrows }: Read) =>
    arrows.map((arrow) => arrow.replace(/n\d+/g, (name) => labels.get(name)?.split('\n')[0] ?? name));

  it('draws a box a step and an arrow a kind of edge', () => {
    const all = many('n', 5000);
    const graph = buildGraph(sequence(on(local, step('l')), on(all, step('x')), join('wait'), on(all, step('y'))));
    const read = draw(graph);
    expect([...read.labels.values()]).toEqual(['l\nlocal', 'x\nn[1:5000]', '◇wait\nall', 'y\nn[1:5000]']);
    expect(named(read)).toEqual(['l spread x', 'x gather ◇wait', 'l host ◇wait', '◇wait spread y', 'x host y']);
  });

  it('frames tasks in modules', () => {
    const read = draw(buildGraph(cases['replicated-store']!()));
    expect(read.frames).toEqual(['store', 'download', 'install', 'check']);
    expect(read.labels.size).toBe(11);
  });

  it('draws what was planned host by host as one', () => {
    const plan = sequence(
      perHost(many('n', 3), (host) => on(host, step('x'))),
      perHost(many('n', 3), (host) => on(host, step('y'))),
    );
    expect(named(draw(buildGraph(plan)))).toEqual(['x host y']);
  });

  it('draws each host of a small graph when told', () => {
    const read = draw(buildGraph(barrier('wait', 'all', on(hosts('a', 'b'), step('x')), on(hosts('b'), step('y')))), {
      expand: true,
    });
    expect([...read.labels.values()]).toEqual([
      'x@a\ntouch /tmp/x',
      'x@b\ntouch /tmp/x',
      '◇wait\nall',
      'y@b\ntouch /tmp/y',
    ]);
    expect(named(read)).toEqual(['x@a gather ◇wait', 'x@b gather ◇wait', 'x@b host y@b', '◇wait spread y@b']);
  });

  it('does not draw thousands of hosts', () => {
    const graph = buildGraph(on(many('n', 5000), step('x')));
    expect(draw(graph, { expand: true }).labels.size).toBe(1);
    expect(renderDot(graph, { expand: true }) + renderMermaid(graph, { expand: true })).toContain(
      'too many to draw host by host: 5,000 nodes',
    );
  });

  it('takes any name for what it is', () => {
    const odd = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .map((text) => text.replace(/[\p{C}\p{Z}\n/]/gu, '_'));
    const hard = fc.constantFrom(
      '"',
      '\\',
      '\\N',
      'end',
      '#quot;',
      '<br/>',
      '`x`',
      '[a](b)',
      '{',
      '--> n1',
      '&amp;',
      '%%',
      ';',
      '}',
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(odd, hard), { minLength: 3, maxLength: 3 }), ([task, name, host]) => {
        const plan = mapNodes(parallel(on(hosts(host!), step(name!)), join(`j${name}`)), (node) => ({
          ...node,
          id: `${task}/${node.id}`,
          task: { id: task!, module: '' },
        }));
        const read = draw(buildGraph(plan));
        expect(read.frames).toEqual([task]);
        expect([...read.labels.values()]).toEqual([`${name}\n${host}`, `◇j${name}\nall`]);
      }),
      { numRuns: runs(500) },
    );
  });
});
