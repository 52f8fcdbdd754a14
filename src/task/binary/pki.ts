import type { Cluster } from '../../model/cluster/index.ts';
import { nthAddress, parseIp } from '../../model/cluster/ip.ts';
import { apiServerPort } from '../../model/cluster/places.ts';
import { on, parallel, type StepFragment } from '../../plan/combinators.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member, type Ref } from '../../plan/ref.ts';
import {
  type Authority,
  type AuthorityName,
  type BinaryPki,
  type Certified,
  type Kept,
  kubernetesAuthority,
  kubernetesClient,
  kubernetesKubeconfig,
  kubernetesServer,
  serviceAccountKeys,
} from '../../step/binary/certificates.ts';
import { FRONT_PROXY_CLIENT, KUBELET_CLIENT } from '../../step/binary/flags.ts';
import { type KubeconfigUser, serverAt } from '../../step/binary/places.ts';
import { ADMINISTRATORS } from '../../step/binary/rbac.ts';
import { certSans, configOf, endpointOf } from '../kubernetes/settings.ts';
import { targetMasters, targetNodes } from '../nodes.ts';

/** Files of this machine, by the names that they get on a host. */
type Files = Readonly<Record<string, Ref<Kept>>>;

/** The secrets of one host. */
export interface HostSecrets {
  readonly pki: Files;
  readonly kubeconfigs: Files;
}

/** All certificates and kubeconfigs of a cluster: how they are made, and which of them a host gets. */
export interface ClusterSecrets {
  readonly made: ExecutionFragment;
  readonly of: (host: PlanHost) => HostSecrets;
}

/** They are made once for all tasks. */
export function secretsOf(context: PlanContext): ClusterSecrets {
  return context.once(secretsOf, () => makeSecrets(context));
}

/** What a service that reads some of a host's files must have been started with. */
export function digestsOf(files: Files, ...names: readonly string[]): readonly Ref<string>[] {
  return names.map((name) => {
    const file = files[name];
    if (file === undefined) throw new TypeError(`${name} is not on the host`);
    return member(file, 'sha256');
  });
}

/** Makes certificates, and keeps what makes them. */
class Maker {
  readonly fragments: ExecutionFragment[] = [];
  readonly #context: PlanContext;
  readonly #common: BinaryPki;
  readonly #authorities = new Map<AuthorityName, Ref<Authority>>();

  constructor(context: PlanContext) {
    this.#context = context;
    this.#common = { workDir: context.workDir, pki: context.cluster.spec.pki };
  }

  authority(name: AuthorityName): Ref<Authority> {
    const made =
      this.#authorities.get(name) ??
      this.#keep(on(this.#context.local, kubernetesAuthority({ ...this.#common, name }), { name: `ca-${name}` })).ref();
    this.#authorities.set(name, made);
    return made;
  }

  keys() {
    return this.#keep(on(this.#context.local, serviceAccountKeys(this.#common))).ref();
  }

  client(name: string, commonName: string, organization?: string, authority: AuthorityName = 'ca'): Ref<Certified> {
    const issuer = this.authority(authority);
    const use = kubernetesClient({
      ...this.#common,
      name,
      authority,
      issuer,
      commonName,
      ...(organization === undefined ? {} : { organization }),
    });
    return this.#keep(on(this.#context.local, use, { name: `client-${name}` })).ref();
  }

  server(name: string, commonName: string, sans: readonly string[]): Ref<Certified> {
    const addresses = sans.filter((one) => parseIp(one) !== undefined);
    const names = sans.filter((one) => parseIp(one) === undefined);
    const issuer = this.authority('ca');
    const use = kubernetesServer({ ...this.#common, name, issuer, commonName, names, addresses });
    return this.#keep(on(this.#context.local, use, { name: `server-${name}` })).ref();
  }

  kubeconfig(name: string, server: string, user: string, certificate: Ref<Certified>): Ref<Kept> {
    const { cluster, local, workDir } = this.#context;
    const use = kubernetesKubeconfig({ workDir, name, cluster: cluster.metadata.name, server, user, certificate });
    return this.#keep(on(local, use, { name: `kubeconfig-${name}` })).ref();
  }

  #keep<O>(fragment: StepFragment<O>): StepFragment<O> {
    this.fragments.push(fragment);
    return fragment;
  }
}

function makeSecrets(context: PlanContext): ClusterSecrets {
  const maker = new Maker(context);
  const masters = mastersSecrets(context, maker);
  const nodes = nodesSecrets(context, maker);
  const none: HostSecrets = { pki: {}, kubeconfigs: {} };
  return {
    made: parallel(...maker.fragments),
    of: ({ name }) => {
      const [master, node] = [masters.get(name) ?? none, nodes.get(name) ?? none];
      return {
        pki: { ...master.pki, ...node.pki },
        kubeconfigs: { ...master.kubeconfigs, ...node.kubeconfigs },
      };
    },
  };
}

/** Of the control plane. The key of the CA is on masters: the controller manager signs what kubelets ask for. */
function mastersSecrets(context: PlanContext, maker: Maker): ReadonlyMap<string, HostSecrets> {
  const port = apiServerPort(context.cluster);
  const [ca, frontProxy, keys] = [maker.authority('ca'), maker.authority('frontProxy'), maker.keys()];
  const shared: Files = {
    'ca.crt': member(ca, 'certificate'),
    'ca.key': member(ca, 'key'),
    'front-proxy-ca.crt': member(frontProxy, 'certificate'),
    'sa.key': member(keys, 'key'),
    'sa.pub': member(keys, 'publicKey'),
    ...pairOf('apiserver-kubelet-client', maker.client('apiserver-kubelet-client', KUBELET_CLIENT)),
    ...pairOf('front-proxy-client', maker.client('front-proxy-client', FRONT_PROXY_CLIENT, undefined, 'frontProxy')),
  };
  const users = {
    'controller-manager': maker.client('controller-manager', 'system:kube-controller-manager'),
    scheduler: maker.client('scheduler', 'system:kube-scheduler'),
  };
  const endpoint = `https://${endpointOf(context)}`;
  const admin = maker.client('admin', 'kubernetes-admin', ADMINISTRATORS);
  const superAdmin = maker.client('super-admin', 'kubernetes-super-admin', 'system:masters');
  const administrators = named({
    admin: maker.kubeconfig('admin', endpoint, 'kubernetes-admin', admin),
  });
  return new Map(
    targetMasters(context).map((host) => {
      const own = serverAt(configOf(context, host).internal.list[0] ?? '', port);
      const serving = maker.server(`apiserver-${host.name}`, 'kube-apiserver', apiServerNames(context, host));
      // It begins the cluster, and is there when nothing in front of the API servers works.
      const emergency = maker.kubeconfig(`super-admin-${host.name}`, own, 'kubernetes-super-admin', superAdmin);
      const kubeconfigs = Object.fromEntries(
        Object.entries(users).map(([user, certificate]) => [
          user,
          maker.kubeconfig(`${user}-${host.name}`, own, `system:kube-${user}`, certificate),
        ]),
      );
      return [
        host.name,
        {
          pki: { ...shared, ...pairOf('apiserver', serving) },
          kubeconfigs: { ...administrators, ...named({ ...kubeconfigs, 'super-admin': emergency }) },
        },
      ] as const;
    }),
  );
}

/** Of nodes. Each kubelet is a user of its own; a master asks its own API server, a worker the control plane. */
function nodesSecrets(context: PlanContext, maker: Maker): ReadonlyMap<string, HostSecrets> {
  const endpoint = `https://${endpointOf(context)}`;
  const ca = maker.authority('ca');
  const proxy = maker.client('kube-proxy', 'system:kube-proxy', 'system:node-proxier');
  const proxyConfig = maker.kubeconfig('kube-proxy', endpoint, 'system:kube-proxy', proxy);
  return new Map(
    targetNodes(context).map((host) => {
      const { internal, address } = configOf(context, host);
      const [user, group] = [`system:node:${host.name}`, 'system:nodes'];
      const client = maker.client(`kubelet-${host.name}`, user, group);
      const sans = [...new Set([host.name, 'localhost', '127.0.0.1', '::1', ...internal.list, address])];
      const serving = maker.server(`kubelet-server-${host.name}`, user, sans);
      const isMaster = host.roles.includes('master');
      const server = isMaster ? serverAt(internal.list[0] ?? '', apiServerPort(context.cluster)) : endpoint;
      const kubelet = maker.kubeconfig(`kubelet-${host.name}`, server, user, client);
      return [
        host.name,
        {
          pki: { 'ca.crt': member(ca, 'certificate'), ...pairOf('kubelet', serving) },
          kubeconfigs: named({ kubelet, 'kube-proxy': proxyConfig }),
        },
      ] as const;
    }),
  );
}

function pairOf(name: string, made: Ref<Certified>): Files {
  return { [`${name}.crt`]: member(made, 'certificate'), [`${name}.key`]: member(made, 'key') };
}

function named(kubeconfigs: Readonly<Partial<Record<KubeconfigUser, Ref<Kept>>>>): Files {
  return Object.fromEntries(
    Object.entries(kubeconfigs).map(([user, file]) => [`${user}.kubeconfig`, file as Ref<Kept>]),
  );
}

/** All names of an API server: those of the master, of the control plane, and of the Service `kubernetes`. */
function apiServerNames(context: PlanContext, host: PlanHost): readonly string[] {
  const { spec } = context.cluster;
  const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  return [
    ...new Set([
      ...service,
      `kubernetes.default.svc.${spec.kubernetes.clusterName}`,
      ...serviceAddresses(context.cluster, API_ADDRESS),
      '::1',
      ...certSans(context, [host.name]),
    ]),
  ];
}

/** Which addresses of the networks of Services those of the API servers and of DNS are, as everywhere. */
const API_ADDRESS = 1n;
export const DNS_ADDRESS = 10n;

/** An address of every network of Services. */
export function serviceAddresses({ spec }: Cluster, n: bigint): readonly string[] {
  return spec.network.kubeServiceCIDR.list.map((cidr) => nthAddress(cidr, n));
}
