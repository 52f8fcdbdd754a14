import type { Outcome } from '../../model/event.ts';
import { hostsText } from '../../model/text/hosts.ts';
import { type Diff, diffLines } from '../diff.ts';
import type { ExecutionGraph } from '../graph.ts';
import type { StepGroup } from './outline.ts';
import type { Look, Piece } from './paint.ts';
import { plain, plural } from './words.ts';

/** What is known about a node of the graph beside the plan: how it ended, or what it would change. */
export interface NodeAnnotation {
  readonly outcome?: Outcome;
  readonly diff?: Diff;
}

/** Finds the annotation of a node of the graph, by its number. */
export type Annotations = (node: number) => NodeAnnotation | undefined;

const LOOKS: Partial<Record<Outcome, Look>> = {
  changed: 'good',
  'would-change': 'warn',
  'would-run': 'warn',
  failed: 'bad',
  dirty: 'bad',
  unknown: 'bad',
  skipped: 'dim',
  reverted: 'warn',
};

const MOST_DIFFS = 5;
const MOST_LINES = 60;

/** A step's annotations as lines: how it ended on which hosts, then each different diff once. */
export function annotationLines(
  graph: ExecutionGraph,
  group: StepGroup,
  annotations: Annotations,
  width: number,
): readonly (readonly Piece[])[] {
  const outcomes = new Map<Outcome, string[]>();
  const diffs = new Map<string, { readonly lines: readonly string[]; readonly hosts: string[] }>();
  for (const node of group.nodes) {
    for (let i = graph.first[node] ?? 0; i < (graph.first[node + 1] ?? 0); i++) {
      const { outcome, diff } = annotations(i) ?? {};
      if (outcome) grow(outcomes, outcome, graph.host(i));
      if (!diff || diff.length === 0) continue;
      const lines = diffLines(diff);
      const known = diffs.get(lines.join('\n'));
      if (known) known.hosts.push(graph.host(i));
      else diffs.set(lines.join('\n'), { lines, hosts: [graph.host(i)] });
    }
  }
  return [...outcomeLines(outcomes, group, width), ...diffBlocks([...diffs.values()], group, width)];
}

function outcomeLines(
  outcomes: ReadonlyMap<Outcome, readonly string[]>,
  group: StepGroup,
  width: number,
): readonly (readonly Piece[])[] {
  return [...outcomes].map(([outcome, hosts]) => {
    const where = hosts.length === group.hosts.length ? '' : ` on ${hostsText(hosts, width - outcome.length - 4)}`;
    return [{ text: `${outcome}${where}`, look: LOOKS[outcome] ?? 'plain' }];
  });
}

function diffBlocks(
  diffs: readonly { readonly lines: readonly string[]; readonly hosts: readonly string[] }[],
  group: StepGroup,
  width: number,
): readonly (readonly Piece[])[] {
  const blocks = diffs.slice(0, MOST_DIFFS).flatMap(({ lines, hosts }): (readonly Piece[])[] => {
    const head = hosts.length === group.hosts.length ? [] : [[`on ${hostsText(hosts, width - 4)}:`]];
    const more = lines.length > MOST_LINES ? [[`… ${plural(lines.length - MOST_LINES, 'more line')}`]] : [];
    return [...head, ...lines.slice(0, MOST_LINES).map((line) => [painted(line)]), ...more];
  });
  const left = diffs.slice(MOST_DIFFS).flatMap((diff) => diff.hosts);
  return left.length === 0 ? blocks : [...blocks, [`… and other changes on ${hostsText(left, width - 24)}`]];
}

function painted(line: string): Piece {
  const look = line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : line.startsWith('~') ? 'warn' : 'dim';
  return { text: plain(line), look };
}

function grow<K>(map: Map<K, string[]>, key: K, host: string): void {
  const known = map.get(key);
  if (known) known.push(host);
  else map.set(key, [host]);
}
