import { SSH_DEFAULTS, type SshHop, type SshLogin, type SshSettings } from '../model/cluster/cluster.ts';
import type { ClusterDocument } from '../model/cluster/document.ts';
import type { ReportAt } from './resolve.ts';
import type { Path } from './tree.ts';

type Host = ClusterDocument['spec']['hosts'][number];
type Hop = NonNullable<Host['bastion']>[number];

const LOGIN = ['user', 'port', 'password', 'privateKeyPath', 'privateKey', 'privateKeyPassphrase'] as const;

/** How each host is reached: its own settings over those for all, bastions resolved into a chain. */
export function resolveSsh({ spec }: ClusterDocument, report: ReportAt): readonly SshSettings[] {
  return new SshResolver(spec, report).run();
}

class SshResolver {
  readonly #spec: ClusterDocument['spec'];
  readonly #report: ReportAt;
  readonly #byName: ReadonlyMap<string, { readonly host: Host; readonly index: number }>;
  readonly #chains = new Map<string, readonly SshHop[]>();
  readonly #told = new Set<string>();

  constructor(spec: ClusterDocument['spec'], report: ReportAt) {
    this.#spec = spec;
    this.#report = report;
    this.#byName = new Map(spec.hosts.map((host, index) => [host.name, { host, index }]));
  }

  run(): readonly SshSettings[] {
    const { ssh } = this.#spec;
    return this.#spec.hosts.map((host, index): SshSettings => {
      const sudoPassword = host.sudoPassword ?? ssh.sudoPassword;
      const bastions = this.#chain(host, index, [host.name]);
      this.#checkCircle(host, index, bastions);
      return {
        ...this.#login(host),
        ...(sudoPassword === undefined ? {} : { sudoPassword }),
        ...keysOf(host.hostKey),
        ...(ssh.hostKeyPolicy === undefined ? {} : { hostKeyPolicy: ssh.hostKeyPolicy }),
        bastions,
        ...(ssh.sshConfig === undefined ? {} : { sshConfig: ssh.sshConfig }),
        connectTimeoutSeconds: ssh.connectTimeoutSeconds,
      };
    });
  }

  #login(own: SshWritten, over: SshWritten = this.#spec.ssh): SshLogin {
    const set = LOGIN.map((key) => [key, own[key] ?? over[key]] as const).filter(([, value]) => value !== undefined);
    return Object.fromEntries(set) as SshLogin;
  }

  /** The machines to go through; if the first is a host of the cluster, it brings its own way along. */
  #chain(host: Host, index: number, visiting: readonly string[]): readonly SshHop[] {
    const known = this.#chains.get(host.name);
    if (known !== undefined) return known;
    const own = host.bastion;
    const hops = own ?? this.#beforeMe(host);
    const base: Path = own === undefined ? ['spec', 'ssh', 'bastion'] : ['spec', 'hosts', index, 'bastion'];
    const chain = hops.flatMap((hop, i) => this.#hop(hop, [...base, i], visiting, i === 0));
    this.#chains.set(host.name, chain);
    return chain;
  }

  /** A host that is itself one of the bastions for all is reached through those before it. */
  #beforeMe(host: Host): readonly Hop[] {
    const hops = this.#spec.ssh.bastion ?? [];
    const me = hops.findIndex((hop) => hop.host === host.name);
    return me === -1 ? hops : hops.slice(0, me);
  }

  #hop(hop: Hop, path: Path, visiting: readonly string[], first: boolean): readonly SshHop[] {
    if ((hop.host === undefined) === (hop.address === undefined)) {
      this.#once(path, () => this.#report('KX2411', {}, path));
      return [];
    }
    if (hop.address !== undefined) return [{ address: hop.address, ...this.#login(hop, {}), ...keysOf(hop.hostKey) }];
    const name = hop.host ?? '';
    const found = this.#byName.get(name);
    if (found === undefined) {
      this.#once(path, () => this.#report('KX2409', { host: name }, path));
      return [];
    }
    if (visiting.includes(name)) {
      const chain = [...visiting, name].join(' → ');
      this.#once(path, () => this.#report('KX2408', { host: visiting[0] ?? name, chain }, path));
      return [];
    }
    // Later ones are reached through those before them in the list.
    const before = first ? this.#chain(found.host, found.index, [...visiting, name]) : [];
    const keys = keysOf(hop.hostKey ?? found.host.hostKey);
    return [...before, { address: found.host.address, ...this.#login(hop, this.#login(found.host)), ...keys }];
  }

  #checkCircle(host: Host, index: number, bastions: readonly SshHop[]): void {
    const place = (one: { address: string; port?: number | undefined }): string =>
      `${one.address}:${one.port ?? SSH_DEFAULTS.port}`;
    const way = [...bastions.map(place), place({ address: host.address, port: this.#login(host).port })];
    if (new Set(way).size === way.length) return;
    const path: Path = host.bastion === undefined ? ['spec', 'ssh', 'bastion'] : ['spec', 'hosts', index, 'bastion'];
    this.#once(path, () => this.#report('KX2408', { host: host.name, chain: way.join(' → ') }, path));
  }

  #once(path: Path, tell: () => void): void {
    const key = JSON.stringify(path);
    if (!this.#told.has(key)) tell();
    this.#told.add(key);
  }
}

function keysOf(hostKey: readonly string[] | undefined): Pick<SshHop, 'hostKey'> {
  return hostKey === undefined || hostKey.length === 0 ? {} : { hostKey };
}

type SshWritten = { readonly [Key in (typeof LOGIN)[number]]?: SshLogin[Key] | undefined };
