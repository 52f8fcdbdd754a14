/**
 * Reads journals, manifests and event stores of versions that wrote no marks: there the ids of nodes tell them. The only place that
 * reads a meaning out of an id.
 */
import type { RunEvent } from '../model/event.ts';
import type { HostManifest } from '../model/manifest.ts';
import type { Mark } from '../model/mark.ts';
import type { EventReader } from '../observe/index.ts';

type NodeFinished = Extract<RunEvent, { type: 'node-finished' }>;

const MOST_EVENTS = 100_000;

/** The ids that those versions gave to nodes, without or with a host. */
const OLD_IDS: readonly (readonly [mark: Mark, id: RegExp])[] = [
  ['cluster-begun', /^kubernetes\/init\/init(?:@|$)/],
  ['node-joined', /^kubernetes\/join\/join(?:-[^@/]+)?(?:@|$)/],
  ['node-removed', /^reset\/undo\/\d+-kubernetes-(?:init-init|join-join)[^@]*@/],
  ['leaves-nothing', /^preflight\//],
];

/** The same as patterns of the event store. */
const OLD_NODES: Partial<Record<Mark, string>> = {
  'cluster-begun': 'kubernetes/init/init@*',
  'nodes-ready': 'cluster/health/nodes-ready@*',
  'control-plane-ready': 'cluster/health/control-plane@*',
  'network-ready': 'cluster/health/network@*',
  'proxy-ready': 'cluster/health/proxy@*',
  'dns-ready': 'cluster/health/dns@*',
};

/** The mark that a node without one would have today. */
export function oldMark(node: string): Mark | undefined {
  return OLD_IDS.find(([, id]) => id.test(node))?.[0];
}

/** Manifests in which every entry has its mark. */
export function withMarks(manifests: Readonly<Record<string, HostManifest>>): Readonly<Record<string, HostManifest>> {
  return Object.fromEntries(
    Object.entries(manifests).map(([host, manifest]) => {
      const entries = manifest.entries.map((entry) => {
        const mark = entry.mark ?? oldMark(entry.node);
        return mark === undefined ? entry : { ...entry, mark };
      });
      return [host, { ...manifest, entries }];
    }),
  );
}

/** How the marked nodes of a run ended. A run that a newer version has resumed has old events before new ones. */
export function markedEnds(reader: EventReader, run: string, mark: Mark): readonly NodeFinished[] {
  const which = { run, type: 'node-finished', limit: MOST_EVENTS } as const;
  const node = OLD_NODES[mark];
  const old = node === undefined ? [] : ends(reader, { ...which, node }).filter((event) => event.mark === undefined);
  return [...old, ...ends(reader, { ...which, mark })];
}

function ends(reader: EventReader, filter: Parameters<EventReader['events']>[0]): readonly NodeFinished[] {
  return reader.events(filter).flatMap(({ event }) => (event.type === 'node-finished' ? [event] : []));
}
