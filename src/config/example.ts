import type { z } from 'zod';
import { API_VERSION, documentSchema } from '../model/cluster/document.ts';
import { SUPPORTED_KUBERNETES } from '../model/cluster/text.ts';
import { fieldOf, shapeOf } from './introspect.ts';

/** What the example is to show. */
export interface ExampleOptions {
  /** Number of hosts. Default 3. */
  readonly nodes?: number;
  /** Show every field with its description and default. */
  readonly full?: boolean;
  /** Name of the cluster. */
  readonly name?: string;
  /** Kubernetes version. */
  readonly version?: string;
  /** Where editors find the JSON Schema: a path or URL. */
  readonly schema?: string;
}

const MAX_NODES = 10_000;
const WIDTH = 110;

/** A commented configuration that loads without a problem. */
export function exampleConfig(options: ExampleOptions = {}): string {
  const nodes = Math.max(1, Math.min(MAX_NODES, Math.trunc(options.nodes ?? 3)));
  const version = options.version ?? `v1.${SUPPORTED_KUBERNETES.last - 2}.2`;
  const set = settings(nodes, version);
  const lines = [
    `# yaml-language-server: $schema=${options.schema ?? './kubexm.schema.json'}`,
    '# The schema comes from: kubexm generate schema > kubexm.schema.json',
    '# Check this file with: kubexm validate config -f config.yaml',
    `apiVersion: ${API_VERSION}`,
    'kind: Cluster',
    'metadata:',
    `  name: ${options.name ?? 'mycluster'}`,
    'spec:',
    '  # How all machines are reached. A host may say otherwise. Passwords: env:NAME, file:/path or prompt.',
    '  ssh:',
    '    user: root',
    '    # privateKeyPath: ~/.ssh/id_ed25519     # Default: the agent, then the usual files in ~/.ssh.',
    '  # address: where SSH reaches the machine. internalAddress: what the other hosts use, if it is another one.',
    '  hosts:',
    ...Array.from({ length: nodes }, (_, i) => `    - {name: node${i + 1}, address: ${addressOf(i)}}`),
    '  # Names, or ranges such as node[2:10].',
    '  roleGroups:',
    ...groups(nodes).flatMap(([role, range]) => [`    ${role}:`, `      - ${range}`]),
    ...(options.full === true ? fullSections(set) : smallSections(set)),
  ];
  return `${lines.join('\n')}\n`;
}

/** What differs from the defaults, by path below `spec`. */
function settings(nodes: number, version: string): ReadonlyMap<string, string> {
  const set = new Map([
    ['kubernetes.version', version],
    ['etcd.type', 'kubeadm'],
    ['network.plugin', 'flannel'],
    ['dns.nodelocaldns.enabled', 'false'],
  ]);
  if (mastersOf(nodes) > 1) set.set('controlPlaneEndpoint.internalLoadbalancer', 'haproxy');
  const bits = Math.ceil(Math.log2(nodes));
  if (bits > 6) set.set('network.kubePodsCIDR', `10.${bits > 8 ? 64 : 128}.0.0/${24 - bits}`);
  return set;
}

function mastersOf(nodes: number): number {
  return nodes < 5 ? 1 : 3;
}

function groups(nodes: number): readonly (readonly [string, string])[] {
  const masters = mastersOf(nodes);
  const range = (from: number, to: number): string => (from === to ? `node${from}` : `node[${from}:${to}]`);
  return [
    ['master', range(1, masters)],
    ['worker', nodes === 1 ? 'node1' : range(masters + 1, nodes)],
  ];
}

function addressOf(index: number): string {
  const host = index + 2;
  return `172.16.${host >> 8}.${host & 255}`;
}

function smallSections(set: ReadonlyMap<string, string>): readonly string[] {
  const comments: Readonly<Record<string, string>> = {
    'etcd.type': 'etcd runs on the masters. kubexm: on hosts of its own, roleGroups.etcd.',
    'controlPlaneEndpoint.internalLoadbalancer': 'Every worker reaches the masters through its own haproxy.',
    'network.kubePodsCIDR': 'Room for every node.',
  };
  const bySection = Map.groupBy(set, ([path]) => path.slice(0, path.indexOf('.')));
  return [...bySection].flatMap(([section, fields]) => [
    `  ${section}:`,
    ...fields.flatMap(([path, value]) => {
      const [, key = '', inner] = path.split('.');
      const comment = comments[path] === undefined ? [] : [`    # ${comments[path]}`];
      return [...comment, inner === undefined ? `    ${key}: ${value}` : `    ${key}: {${inner}: ${value}}`];
    }),
  ]);
}

function fullSections(set: ReadonlyMap<string, string>): readonly string[] {
  const shape = shapeOf(documentSchema.shape.spec) ?? {};
  const own = ['hosts', 'ssh', 'roleGroups'];
  return Object.entries(shape)
    .filter(([key]) => !own.includes(key))
    .flatMap(([key, schema]) => fieldLines(key, schema, key, '  ', set));
}

function fieldLines(
  key: string,
  schema: z.ZodType,
  path: string,
  indent: string,
  set: ReadonlyMap<string, string>,
): readonly string[] {
  const { meta, optional, fallback } = fieldOf(schema);
  const comment = wrap(meta.description ?? '', indent);
  const shape = shapeOf(schema);
  const value = set.get(path) ?? (fallback === undefined ? undefined : JSON.stringify(fallback));
  if (shape === undefined || meta.shorthand !== undefined) {
    const short = meta.shorthand === undefined ? value : 'containerd';
    return [...comment, short === undefined ? `${indent}# ${key}:` : `${indent}${key}: ${short}`];
  }
  const inside = Object.entries(shape).flatMap(([name, child]) =>
    fieldLines(name, child, `${path}.${name}`, `${indent}  `, set),
  );
  // A part that is not there by default stays a comment: to write it is to ask for it. So does what another choice needs.
  if ((optional && fallback === undefined) || path === 'network.ippool') {
    const commented = [`${indent}${key}:`, ...inside].map((line) => `${indent}# ${line.slice(indent.length)}`);
    return [...comment, ...commented];
  }
  return [...comment, `${indent}${key}:`, ...inside];
}

function wrap(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter(Boolean)) {
    if (line !== '' && indent.length + line.length + word.length + 3 > WIDTH) {
      lines.push(`${indent}# ${line}`);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, `${indent}# ${line}`];
}
