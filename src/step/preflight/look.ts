import { COMPONENTS, RUNTIME_COMPONENTS } from '../../component/index.ts';
import { splitFacts } from '../../host/facts/raw.ts';
import { seenModules } from '../../host/os/module.ts';
import type { Runtime } from '../../model/cluster/container-runtime.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { type Finding, finding } from './finding.ts';
import { lookScript } from './look-script.ts';

/** What is looked for on a host of a role. */
export interface Look {
  /** The cluster that is made: what it has here already is neither left over nor in the way. */
  readonly cluster: string;
  readonly ports: readonly number[];
  /** Kernel modules, and what needs them. */
  readonly modules: readonly { readonly name: string; readonly purpose: string }[];
  /** The container runtime of the cluster. */
  readonly runtime: Runtime;
  /** Where etcd's data will be. */
  readonly etcdDir?: string;
  /** A name that the user's DNS must know. */
  readonly domain?: string;
  /** The virtual IP, which nobody may have yet. */
  readonly free?: { readonly addresses: readonly string[]; readonly port: number };
  /** kubexm adds nameservers. */
  readonly resolves: boolean;
}

/** What was found on a host. Its findings have no host yet: a step does not know where it runs. */
export type Looked = {
  readonly findings: readonly Finding[];
  /** The machine's own id, as its maker says. */
  readonly uuid: string;
  /** It is a host of this cluster already. */
  readonly isOurs: boolean;
};

/** Programs of clusters, as the kernel names their processes. */
const OWN: ReadonlySet<string> = new Set(COMPONENTS.flatMap(({ processes }) => processes ?? []));
const LOOPBACK = /^(127\.|::1$)/;

/** Looks at everything that facts do not have. Read-only, so it travels with the host's other checks and works in a dry run. */
export const look = defineStep<Look>()({
  kind: 'preflightLook',
  description: 'Looks at what a host has and facts do not tell: ports, leftovers, modules, names.',
  title: () => 'look at the host',
  nature: 'action',
  probe: (want) => lookScript({ ...want, modules: want.modules.map(({ name }) => name) }),
  judge: (output, want) =>
    output.code === 0 ? satisfied(looked(output.stdout, want)) : needed(undefined, [{ what: 'look at the host' }]),
  apply: (_host, want) => lookScript({ ...want, modules: want.modules.map(({ name }) => name) }),
  result: (output, want) => looked(output.stdout, want),
  timeoutSeconds: 60,
  example: {
    cluster: 'demo',
    ports: [10250],
    modules: [{ name: 'overlay', purpose: 'containerd' }],
    runtime: 'containerd',
    resolves: false,
  },
});

/** What the answer means. */
export function looked(text: string, want: Look): Looked {
  const section = splitFacts(text).lines;
  const owner = /^\S+ (.*)$/.exec(section('owner')[0] ?? '')?.[1];
  const isOurs = owner === want.cluster;
  return {
    uuid: section('uuid')[0] ?? '',
    isOurs,
    findings: [
      ...(owner === undefined || isOurs ? [] : [finding('KX4531', 'error', [], { cluster: owner })]),
      ...moduleFindings(section('modules').join('\n'), want),
      ...(owner === undefined ? leftFindings(section('left'), section('processes'), want) : []),
      ...portFindings(section('ports'), isOurs),
      ...nameFindings(section, want, isOurs),
      ...(isOurs ? [] : section('taken').map((address) => finding('KX4548', 'error', [], { address }))),
    ],
  };
}

function moduleFindings(text: string, { modules }: Look): readonly Finding[] {
  const seen = seenModules(text);
  const absent = seen.filter(({ state }) => state === 'missing' || state === 'disabled').map(({ name }) => name);
  const loadable = seen.filter(({ state }) => state === 'loadable').map(({ name }) => name);
  return [
    ...modules
      .filter(({ name }) => absent.includes(name))
      .map(({ name: module, purpose }) => finding('KX4510', 'error', [], { module, purpose })),
    ...(loadable.length === 0 ? [] : [finding('KX4511', 'warning', [], { modules: loadable.join(', ') })]),
  ];
}

function leftFindings(
  left: readonly string[],
  processes: readonly string[],
  { runtime: chosen }: Look,
): readonly Finding[] {
  const known = Object.values(RUNTIME_COMPONENTS).map(({ process }) => process);
  const running = known.filter((name) => processes.includes(name));
  const what = [...new Set([...left, ...processes.filter((name) => !known.includes(name))])];
  return [
    ...(what.length === 0 ? [] : [finding('KX4530', 'error', [], { what: what.join(', ') })]),
    ...running.map((runtime) =>
      runtime === RUNTIME_COMPONENTS[chosen].process
        ? finding('KX4532', 'info', [], { runtime })
        : finding('KX4533', 'info', [], { runtime, chosen }),
    ),
  ];
}

function portFindings(ports: readonly string[], isOurs: boolean): readonly Finding[] {
  return ports.flatMap((line) => {
    const [port = '', pid = '-', ...words] = line.split(' ');
    const name = words.join(' ');
    if (isOurs && OWN.has(name)) return [];
    const holder = pid === '-' ? undefined : `${name || '?'} (pid ${pid})`;
    return [finding('KX4535', 'error', [], { port: Number(port) }, holder)];
  });
}

function nameFindings(section: (name: string) => readonly string[], want: Look, isOurs: boolean): readonly Finding[] {
  const own = section('own').map((line) => line.split(/\s+/)[0] ?? '');
  const loopback = isOurs ? undefined : own.find((address) => LOOPBACK.test(address));
  const servers = section('nameservers').map((line) => line.split(' '));
  const silent = servers.length > 0 && servers.every(([, answers]) => answers === 'no');
  const names = servers.map(([server = '']) => server).toSorted();
  const unknown = want.domain !== undefined && section('domain')[0] !== 'known';
  return [
    ...(loopback === undefined ? [] : [finding('KX4522', 'warning', [], {}, loopback)]),
    ...(servers.length === 0 ? [finding('KX4536', want.resolves ? 'warning' : 'error', [], {})] : []),
    ...(silent ? [finding('KX4538', 'warning', [], { servers: names.join(', ') })] : []),
    ...(unknown ? [finding('KX4539', 'error', [], { domain: want.domain ?? '' })] : []),
  ];
}
