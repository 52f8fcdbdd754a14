import type { Cluster } from '../model/cluster/cluster.ts';
import type { DualStack } from '../model/cluster/ip.ts';
import { Secret } from '../model/cluster/secret.ts';
import { canonical, type Json } from '../model/json.ts';
import { MASK } from '../model/text/mask.ts';
import { namesSecret } from './secret-spans.ts';
import { formatPath, type Path } from './tree.ts';

/** A field that differs between two configurations. Undefined where it is not there. */
export interface ConfigChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The same with the parts of its path. */
interface Change extends Omit<ConfigChange, 'path'> {
  readonly path: Path;
}

/** What differs between two configurations, hosts and other named things matched by name. Secrets are masked. */
export function diffConfigs(before: Cluster, after: Cluster): readonly ConfigChange[] {
  return changesBetween(before, after).map((change) => ({ ...change, path: formatPath(change.path) }));
}

/** The same for who looks at the parts of the paths. */
export function changesBetween(before: Cluster, after: Cluster): readonly Change[] {
  const changes: Change[] = [];
  compare(asWritten(before), asWritten(after), [], changes);
  return changes;
}

/** A configuration with the names that its file has, and one text for the addresses of both families. */
function asWritten({ spec, ...rest }: Cluster) {
  const { address, ...endpoint } = spec.controlPlaneEndpoint;
  const { kubePodsCIDR, kubeServiceCIDR, ...network } = spec.network;
  return {
    ...rest,
    spec: {
      ...spec,
      hosts: spec.hosts.map(({ internal, ...host }) => ({ ...host, internalAddress: textOf(internal) })),
      controlPlaneEndpoint: { ...endpoint, lb_address: textOf(address) },
      network: { ...network, kubePodsCIDR: textOf(kubePodsCIDR), kubeServiceCIDR: textOf(kubeServiceCIDR) },
    },
  };
}

function textOf(stack: DualStack | undefined): string | undefined {
  return stack?.list.join(',');
}

function compare(a: unknown, b: unknown, path: Path, changes: Change[]): void {
  if (a instanceof Secret && b instanceof Secret && a.equals(b)) return;
  // One that was saved and read again is the text that stood for it.
  if (a instanceof Secret !== b instanceof Secret && String(a) === String(b)) return;
  if (!(a instanceof Secret) && !(b instanceof Secret)) {
    if (isObject(a) && isObject(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
        compare(a[key], b[key], [...path, key], changes);
      return;
    }
    const named = byName(a, b);
    if (named !== undefined) {
      for (const name of new Set([...named[0].keys(), ...named[1].keys()])) {
        compare(named[0].get(name), named[1].get(name), [...path, name], changes);
      }
      return;
    }
    if (a === b || (a !== undefined && b !== undefined && text(a) === text(b))) return;
  }
  changes.push({ path, before: shown(a, path), after: shown(b, path) });
}

/** Lists of things with names are compared name by name, so that one more host is one change. */
function byName(a: unknown, b: unknown): [Map<string, unknown>, Map<string, unknown>] | undefined {
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
  const maps = [a, b].map((list) => {
    const named = list.filter((item): item is { name: string } => isObject(item) && typeof item['name'] === 'string');
    const map = new Map<string, unknown>(named.map((item) => [item.name, item]));
    return map.size === list.length ? map : undefined;
  });
  const [first, second] = maps;
  return first === undefined || second === undefined ? undefined : [first, second];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Secret);
}

function shown(value: unknown, path: Path): string | undefined {
  if (value === undefined) return undefined;
  if (namesSecret(String(path.at(-1) ?? '')) && !(value instanceof Secret)) return MASK;
  return typeof value === 'string' ? value : value instanceof Secret ? value.toString() : text(value);
}

/** As JSON; secrets mask themselves, and free content is masked by the names of its keys. */
function text(value: unknown): string {
  const plain = JSON.stringify(value, (key, inner: unknown) =>
    key !== '' && typeof inner === 'string' && namesSecret(key) ? MASK : inner,
  ) as string | undefined;
  return plain === undefined ? 'undefined' : canonical(JSON.parse(plain) as Json);
}
