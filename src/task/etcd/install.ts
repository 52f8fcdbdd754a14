import { etcd } from '../../component/etcd.ts';
import { placesOf } from '../../component/places.ts';
import { barrier, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { member as memberOf, type Ref } from '../../plan/ref.ts';
import { installPrograms } from '../../step/artifacts.ts';
import {
  type Authority,
  clientCertificate,
  etcdAuthority,
  etcdCertificates,
  memberCertificate,
} from '../../step/etcd/certificates.ts';
import {
  etcdConfig,
  etcdDirectory,
  etcdService,
  etcdUnitFile,
  etcdUser,
  initialState,
  memberHealthy,
  rejoin,
} from '../../step/etcd/member.ts';
import { ETCD } from '../../step/etcd/places.ts';
import { programDigest, programs } from '../artifacts/programs.ts';
import { configOf } from '../kubernetes/settings.ts';
import { authorityOf, certificateRefs, membersOf, pkiOf } from './members.ts';

const MAX_FILES = 65_536;

/** etcd as a service on the hosts of its role: its own CA, members that start together, each of them healthy. */
export const installEtcdTask = defineTask({
  name: 'etcd/install',
  description: 'Install etcd as a service on its hosts, and wait until every member is healthy.',
  tags: ['etcd'],
  steps: [
    etcdAuthority,
    memberCertificate,
    clientCertificate,
    etcdUser,
    etcdDirectory,
    installPrograms,
    etcdCertificates,
    initialState,
    rejoin,
    etcdConfig,
    etcdUnitFile,
    etcdService,
    memberHealthy,
  ],
  isRequired: ({ cluster }) => etcd.isUsed(cluster),
  plan: (context) => {
    const hosts = context.targets.filter(({ roles }) => roles.includes('etcd'));
    const { cluster } = context;
    const dataDir = placesOf(cluster).etcdDir;
    const members = membersOf(cluster);
    const membership = (host: PlanHost) => ({ member: memberNamed(members, host), members, dataDir });
    const ca = authorityOf(context);
    const made = hosts.map((host) => certificatesOf(context, host, ca.ref()));
    const files = new Map(made.map(({ host, refs }) => [host, refs]));
    const prepared = sequence(
      on(hosts, etcdUser({})),
      on(hosts, etcdDirectory({ path: ETCD.directory, mode: '0755', owner: 'root:root' }), { name: 'directory-etc' }),
      on(hosts, etcdDirectory({ path: ETCD.ssl, mode: '0750', owner: 'root:etcd' }), { name: 'directory-ssl' }),
      on(hosts, etcdDirectory({ path: dataDir, mode: '0700', owner: 'etcd:etcd' }), { name: 'directory-data' }),
    );
    const uploaded = on(hosts, (host) =>
      etcdCertificates({ files: files.get(host.name)?.files ?? {}, owner: 'root:etcd', mode: '0640' }),
    );
    const state = on(hosts, (host) => initialState(membership(host)));
    const current = memberOf(state.ref(), 'stdout');
    const config = on(hosts, (host) =>
      etcdConfig({ ...membership(host), etcd: cluster.spec.etcd, token: cluster.metadata.name, state: current }),
    );
    const unit = on(hosts, ({ facts }) =>
      etcdUnitFile({ restrictOomScore: !facts.capabilities.includes('sys_resource'), maxFiles: MAX_FILES }),
    );
    const running = on(hosts, (host) =>
      etcdService({
        dataDir,
        fingerprint: [
          config.ref(),
          unit.ref(),
          programDigest(context, 'etcd', 'etcd', host),
          ...(files.get(host.name)?.digests ?? []),
        ],
      }),
    );
    const ready = sequence(
      parallel(
        sequence(parallel(ca, ...made.map(({ fragment }) => fragment)), prepared, uploaded),
        programs(context, hosts, 'etcd', ['etcd', 'etcdctl', 'etcdutl'], '/usr/local/bin'),
      ),
      state,
    );
    // No member starts before all have looked: one that starts makes a running cluster of a new one.
    return barrier(
      'looked',
      'present',
      ready,
      sequence(
        on(hosts, (host) => rejoin({ ...membership(host), state: current })),
        parallel(config, unit),
        running,
        on(hosts, (host) => memberHealthy(membership(host))),
      ),
    );
  },
});

function memberNamed(members: ReturnType<typeof membersOf>, { name }: PlanHost) {
  const found = members.find((one) => one.name === name);
  if (found === undefined) throw new TypeError(`${name} is no member of etcd`);
  return found;
}

/** The certificates of a member and of its administrator. */
function certificatesOf(context: PlanContext, host: PlanHost, issuer: Ref<Authority>) {
  const common = { ...pkiOf(context), issuer };
  const { name } = host;
  const member = on(
    context.local,
    memberCertificate({
      ...common,
      name: `member-${name}`,
      member: name,
      addresses: configOf(context, host).internal.list,
    }),
    { name: `member-${name}` },
  );
  const admin = on(
    context.local,
    clientCertificate({ ...common, name: `admin-${name}`, commonName: `admin-${name}` }),
    {
      name: `admin-${name}`,
    },
  );
  const refs = certificateRefs({ [`member-${name}`]: member.ref(), [`admin-${name}`]: admin.ref() });
  return { host: name, refs, fragment: parallel(member, admin) };
}
