import type { Effect } from '../../model/effect.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Ref, Wanted } from '../../plan/ref.ts';
import { dedicated } from '../../plan/step.ts';
import { kubernetesUnit } from '../../templates/kubernetes.ts';
import { directory, file, KUBECTL, service, waitForCommand } from '../generic/index.ts';
import type { CommonSettings } from '../kubeadm/config.ts';
import { type KubeletSettings, kubeletDocument, proxyDocument, schedulerDocument } from './config.ts';
import {
  apiServerFlags,
  commandLine,
  controllerManagerFlags,
  kubeletFlags,
  type ProgramSettings,
  proxyFlags,
  schedulerFlags,
} from './flags.ts';
import { BINARY, kubeconfigOf, type Program, serverAt, unitFile } from './places.ts';

/** What tells one program from another. */
interface Traits {
  readonly title: string;
  readonly flags: (settings: ProgramSettings) => readonly { readonly name: string; readonly value: string }[];
  /** Only the API server tells systemd that it serves; kubelets do before they do. */
  readonly notifies?: true;
  /** What it reads when it starts, beside its unit and program. */
  readonly reads: readonly string[];
}

const PROGRAMS: Readonly<Record<Program, Traits>> = {
  'kube-apiserver': { title: 'Kubernetes API server', flags: apiServerFlags, notifies: true, reads: [BINARY.pki] },
  'kube-controller-manager': {
    title: 'Kubernetes controller manager',
    flags: controllerManagerFlags,
    reads: [BINARY.pki, kubeconfigOf('controller-manager')],
  },
  'kube-scheduler': {
    title: 'Kubernetes scheduler',
    flags: schedulerFlags,
    reads: [BINARY.schedulerConfig, kubeconfigOf('scheduler')],
  },
  kubelet: {
    title: 'kubelet: the Kubernetes node agent',
    flags: kubeletFlags,
    reads: [BINARY.kubeletConfig, kubeconfigOf('kubelet')],
  },
  'kube-proxy': {
    title: 'kube-proxy: the addresses of Services',
    flags: proxyFlags,
    reads: [BINARY.proxyConfig, kubeconfigOf('kube-proxy')],
  },
};

/** The directory of Kubernetes. */
export const binaryDirectory = dedicated('directory', directory, 'A directory of Kubernetes.', (_: object) =>
  directory({ path: BINARY.directory, mode: '0755', owner: 'root:root' }),
);

/** The unit of a program, with its flags. */
export const programUnit = dedicated(
  'unit',
  file,
  'The unit of a program of Kubernetes, with its flags.',
  ({
    program,
    after = [],
    ...settings
  }: ProgramSettings & { readonly program: Program; readonly after?: readonly string[] }) => {
    const { title, flags, notifies } = PROGRAMS[program];
    const values = {
      title,
      after: after.map((unit) => ` ${unit}`).join(''),
      type: notifies ? 'notify' : 'simple',
      command: commandLine(program, flags(settings)),
    };
    return file({
      path: unitFile(program),
      content: { template: kubernetesUnit, values },
      mode: '0644',
      owner: 'root:root',
    });
  },
);

const configFile = (path: string, yaml: JsonObject) =>
  file({ path, content: { yaml }, mode: '0644', owner: 'root:root' });

export const kubeletConfigFile = dedicated(
  'kubelet-config',
  file,
  'The configuration of the kubelet.',
  (settings: KubeletSettings) => configFile(BINARY.kubeletConfig, kubeletDocument(settings)),
);

export const proxyConfigFile = dedicated(
  'proxy-config',
  file,
  'The configuration of kube-proxy.',
  (settings: Pick<CommonSettings, 'proxy'>) => configFile(BINARY.proxyConfig, proxyDocument(settings)),
);

export const schedulerConfigFile = dedicated(
  'scheduler-config',
  file,
  'The configuration of the scheduler.',
  (_: object) => configFile(BINARY.schedulerConfig, schedulerDocument()),
);

/** A program, running with the files that are there now. */
export const programService = dedicated(
  'service',
  service,
  'A program of Kubernetes, enabled and running with the files that are there now.',
  ({
    program,
    fingerprint,
    effects = [],
  }: {
    readonly program: Program;
    readonly fingerprint: Wanted<Json>;
    readonly effects?: readonly Effect[];
  }) =>
    service({
      unit: program,
      enabled: true,
      running: 'started',
      fingerprint,
      reads: [unitFile(program), `${BINARY.bin}/${program}`, ...PROGRAMS[program].reads],
      timeoutSeconds: 330,
      ...(effects.length === 0 ? {} : { effects }),
    }),
);

const ask = (words: string): string => `${KUBECTL.join(' ')} ${words} --request-timeout=5s get --raw`;

/** An API server that serves. Asked with the certificate of the host, which is known so to be good. */
export const apiServerReady = dedicated(
  'api-ready',
  waitForCommand,
  'Wait until the API server of the master is ready.',
  (_: object) =>
    waitForCommand({
      run: `${ask(`--kubeconfig ${kubeconfigOf('kubelet')}`)} /readyz`,
      purpose: 'the API server',
      timeoutSeconds: 300,
      intervalSeconds: 1,
    }),
);

/** Where the others of a master tell the host itself whether they are healthy. Their certificates are their own. */
const HEALTH = [
  { user: 'controller-manager', port: 10_257 },
  { user: 'scheduler', port: 10_259 },
] as const;

/** All three programs of a master. */
export const controlPlaneHealthy = dedicated(
  'control-plane-healthy',
  waitForCommand,
  'Wait until the programs of the control plane are healthy on the master.',
  ({ node }: { readonly node: string }) => {
    const others = HEALTH.map(({ user, port }) => {
      // Without a certificate kubectl would ask for a password.
      const words = `--kubeconfig ${kubeconfigOf(user)} --server ${serverAt('127.0.0.1', port)} --insecure-skip-tls-verify`;
      return `${ask(words)} /healthz`;
    });
    const asked = [`${ask(`--kubeconfig ${kubeconfigOf('kubelet')}`)} /readyz`, ...others];
    return waitForCommand({
      run: asked.map((one) => `${one} >/dev/null`).join(' &&\n'),
      purpose: `the control plane on ${node}`,
      timeoutSeconds: 300,
      intervalSeconds: 1,
    });
  },
);

/** kube-proxy has made the rules of this node. */
export const proxyHealthy = dedicated(
  'proxy-healthy',
  waitForCommand,
  'Wait until kube-proxy is healthy on the node.',
  ({ url, node }: { readonly url: string; readonly node: string }) =>
    waitForCommand({
      run: `${ask(`--kubeconfig /dev/null --server ${url}`)} /healthz >/dev/null`,
      purpose: `kube-proxy on ${node}`,
      timeoutSeconds: 120,
      intervalSeconds: 1,
    }),
);

/** Reachability from a node that is to join, by its own certificate; `begun` is what the first API server said. */
export const preJoin = dedicated(
  'pre-join',
  waitForCommand,
  'Check that the node reaches the cluster, and that both know each other’s certificates.',
  ({ server, begun }: { readonly server: string; readonly begun: Ref<string> }) =>
    waitForCommand({
      run: `${ask(`--kubeconfig ${kubeconfigOf('kubelet')} --server ${server}`)} /readyz >/dev/null`,
      env: { begun },
      purpose: `an answer of the cluster at ${server}`,
      timeoutSeconds: 120,
      intervalSeconds: 1,
    }),
);
