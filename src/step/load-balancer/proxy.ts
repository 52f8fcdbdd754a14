import type { Json, JsonObject } from '../../model/json.ts';
import type { Wanted } from '../../plan/ref.ts';
import { type DedicatedStep, dedicated } from '../../plan/step.ts';
import { type Content, file, restartWhenUndone, service } from '../generic/index.ts';
import { type ProxyPod, proxyPod, staticPodFile } from './static-pod.ts';

/** A file on a host. */
type Written = { readonly path: string; readonly sha256: string };

/** Hours for which a connection may be idle. */
export const IDLE = '24h';

/** A server behind a proxy. */
export interface Upstream {
  readonly name: string;
  readonly address: string;
}

/** What a proxy in front of the API servers does. */
export interface ProxySettings {
  readonly masters: readonly Upstream[];
  /** Where the API servers listen. */
  readonly apiPort: number;
  /** Where the proxy listens: addresses, and the port of the control plane. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** How many clients may be connected at a time. */
  readonly connections: number;
  /** The loopback address at which it says whether it is healthy. */
  readonly healthAddress: string;
  readonly healthPort: number;
}

/** `10.1.0.1:6443`, `[2001:db8::1]:6443` */
export function socketAddress(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Lines of a text file, indented. */
export function indented(spaces: number, texts: readonly string[]): string {
  return texts.map((text) => `${' '.repeat(spaces)}${text}`).join('\n');
}

/** The steps of a proxy, by which tasks need not know which one it is. */
export interface ProxySteps {
  /** As a static pod on workers. */
  readonly pod: {
    readonly name: string;
    /** Where its configuration is. */
    readonly directory: string;
    readonly config: DedicatedStep<ProxySettings, Written>;
    readonly manifest: DedicatedStep<ProxyPod, Written>;
  };
  /** As a service on load balancers. */
  readonly service: {
    readonly note: ReturnType<typeof proxyServiceNote>;
    readonly config: DedicatedStep<ProxySettings, Written>;
    readonly running: ReturnType<typeof proxyService>;
    /** The command that fails where the proxy is not healthy. */
    readonly ask: (settings: Pick<ProxySettings, 'healthAddress' | 'healthPort'>) => string;
  };
}

/** What tells one proxy from another. */
interface ProxyKind {
  /** Its package, its unit and its directory in /etc. */
  readonly name: string;
  /** Its static pod. */
  readonly pod: string;
  /** Its configuration file. */
  readonly file: string;
  /** Where the container expects the configuration. */
  readonly mountPath: string;
  readonly capabilities: readonly string[];
  readonly content: (settings: ProxySettings, place: 'pod' | 'service') => Content;
  /** How the kubelet asks the pod whether it is healthy. */
  readonly probe: (pod: ProxyPod) => JsonObject;
  readonly ask: ProxySteps['service']['ask'];
}

/** The steps of a proxy in front of the API servers: a static pod on workers, a service on load balancers. */
export function proxySteps(kind: ProxyKind): ProxySteps {
  const { name, mountPath, capabilities, ask } = kind;
  const directory = `/etc/kubexm/${name}`;
  const [podConfig, serviceConfig] = [`${directory}/${kind.file}`, `/etc/${name}/${kind.file}`];
  const configured = (path: string, place: 'pod' | 'service', where: string) =>
    dedicated('config', file, `The configuration of ${name} on a ${where}.`, (settings: ProxySettings) =>
      file({ path, content: kind.content(settings, place), mode: '0644', owner: 'root:root' }),
    );
  return {
    pod: {
      name: kind.pod,
      directory,
      config: configured(podConfig, 'pod', 'worker'),
      manifest: dedicated('pod', file, `${name} as a static pod.`, (pod: ProxyPod) =>
        staticPodFile(
          kind.pod,
          proxyPod({ ...pod, name: kind.pod, config: podConfig, mountPath, capabilities, probe: kind.probe(pod) }),
        ),
      ),
    },
    service: {
      note: proxyServiceNote(name),
      config: configured(serviceConfig, 'service', 'load balancer'),
      running: proxyService(name, serviceConfig),
      ask,
    },
  };
}

/** Stands before what changes the configuration of a proxy that may have been there before. */
const proxyServiceNote = (unit: string) =>
  dedicated(
    'note',
    restartWhenUndone,
    `Lets a ${unit} that ran before start again with its own configuration.`,
    (_: object) => restartWhenUndone({ unit }),
  );

/** A proxy as a service. With another configuration it is reloaded: its connections live on. */
const proxyService = (unit: string, config: string) =>
  dedicated(
    'service',
    service,
    `${unit}, now and at every start; reloaded when its configuration changes.`,
    ({ fingerprint }: { readonly fingerprint: Wanted<readonly Json[]> }) =>
      service({ unit, enabled: true, running: 'started', reload: true, fingerprint, reads: [config] }),
  );
