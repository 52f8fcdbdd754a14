import type { Output } from '../../model/host.ts';
import type { SmokeCheck } from '../../model/report.ts';
import type { Script } from '../../model/script.ts';
import { askAddress, askPod, kubectl } from './kubectl.ts';
import { SMOKE } from './objects.ts';
import type { SmokePod } from './pods.ts';

/** What is tried, in the order of the table. */
export const CHECKS = [
  'pod',
  'pod-to-pod',
  'dns',
  'service',
  'node-port',
  'logs',
  'exec',
] as const satisfies readonly SmokeCheck[];

/** One kind of check. */
export type Check = SmokeCheck;

/** What is tried from pods, or about them. */
export type Tried = Exclude<Check, 'pod'>;

/** How one check ended. A type, so that it is Json too. */
export type CheckResult = {
  readonly check: Check;
  readonly from: string;
  readonly to: string;
  /** Why it failed; null where it did not. */
  readonly problem: string | null;
};

/** One thing to try: a command on the first master, and what its output must be. */
export interface Trial {
  readonly from: string;
  readonly to: string;
  readonly script: Script;
  isGood(output: Output): boolean;
}

/** What trials need to know of the cluster. */
export interface TrialContext {
  readonly pods: readonly SmokePod[];
  /** The name of a Service for them. */
  readonly service: string;
  /** `cluster.local` */
  readonly domain: string;
  /** Where trials run that need no pod. */
  readonly master: string;
  /** The port of the Service that every node has; only for `node-port`. */
  readonly nodePort: number;
}

// With up to so many other nodes, every pod tries all others; with more, those that follow it: each is reached so often.
const MOST_PEERS = 4;

/** Everything to try of one kind, with the pods that serve. */
export function trialsOf(check: Tried, context: TrialContext): readonly Trial[] {
  const pods = context.pods.filter(({ problem }) => problem === null);
  return TRIALS[check](pods, context);
}

const TRIALS: Readonly<Record<Tried, (pods: readonly SmokePod[], context: TrialContext) => readonly Trial[]>> = {
  'pod-to-pod': (pods) =>
    pods.flatMap((from, i) =>
      peersOf(pods, i).flatMap((to) =>
        to.addresses.map((address) => connect(from, authority(address, SMOKE.port), to.node)),
      ),
    ),
  dns: (pods) =>
    pods.map((from) => ({
      from: from.node,
      to: 'kubernetes.default',
      script: askPod(from.name, '/dns?name=kubernetes.default'),
      isGood: succeeded,
    })),
  service: (pods, { service, domain }) => {
    const name = `${service}.${SMOKE.namespace}.svc.${domain}`;
    return pods.map((from) => connect(from, authority(name, SMOKE.servicePort), name));
  },
  'node-port': (pods, { nodePort, master }) =>
    pods.flatMap(({ nodeAddresses }) =>
      nodeAddresses.slice(0, 1).map((address) => ({
        from: master,
        to: authority(address, nodePort),
        script: askAddress(`http://${authority(address, nodePort)}`, '/hostname'),
        isGood: ({ code, stdout }: Output) => code === 0 && stdout.startsWith(SMOKE.name),
      })),
    ),
  logs: (pods, { master }) =>
    pods.map(({ node, name }) => ({
      from: master,
      to: node,
      script: kubectl(['logs', name, '--tail=20']),
      isGood: ({ code, stdout }) => code === 0 && stdout.includes('http on'),
    })),
  exec: (pods, { master }) =>
    pods.map(({ node, name }) => ({
      from: master,
      to: node,
      script: kubectl(['exec', name, '--', `/${SMOKE.name}`, '-version']),
      isGood: ({ code, stdout }) => code === 0 && stdout.includes(SMOKE.name),
    })),
};

/** Lets a pod connect to an address. */
function connect(from: SmokePod, address: string, to: string): Trial {
  const script = askPod(from.name, `/tcp?to=${encodeURIComponent(address)}`);
  return { from: from.node, to, script, isGood: succeeded };
}

function succeeded({ code }: Output): boolean {
  return code === 0;
}

function peersOf(pods: readonly SmokePod[], i: number): readonly SmokePod[] {
  const others = [...pods.slice(i + 1), ...pods.slice(0, i)];
  return others.slice(0, MOST_PEERS);
}

function authority(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What is known of the pods themselves. */
export function podResults(pods: readonly SmokePod[]): readonly CheckResult[] {
  return pods.map(({ node, problem }) => ({ check: 'pod', from: '', to: node, problem }));
}
