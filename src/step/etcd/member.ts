import type { Cluster } from '../../model/cluster/index.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { sh } from '../../model/script.ts';
import type { Ref, Wanted } from '../../plan/ref.ts';
import { dedicated } from '../../plan/step.ts';
import { etcdUnit } from '../../templates/etcd.ts';
import { checkedCommand, directory, file, query, service, user, waitForCommand } from '../generic/index.ts';
import { CLIENT_PORT, clientUrl, ETCD, type EtcdMember, peerUrl } from './places.ts';

type Spec = Cluster['spec'];

/** The user that etcd runs as. */
export const etcdUser = dedicated('user', user, 'The user that etcd runs as.', (_: object) =>
  user({ name: 'etcd', comment: 'etcd' }),
);

/** A directory of etcd. */
export const etcdDirectory = dedicated(
  'directory',
  directory,
  'A directory of etcd.',
  (params: { readonly path: string; readonly mode: string; readonly owner: string }) => directory(params),
);

/** How members ask the others, with the certificate of their own administrator. */
const etcdctl = (name: string, endpoints: readonly string[]): string =>
  [
    '/usr/local/bin/etcdctl',
    '--dial-timeout=2s',
    '--command-timeout=5s',
    `--cacert=${ETCD.ca}`,
    `--cert=${ETCD.ssl}/admin-${name}.crt`,
    `--key=${ETCD.ssl}/admin-${name}.key`,
    `--endpoints=${endpoints.join(',')}`,
  ].join(' ');

const othersOf = (members: readonly EtcdMember[], { name }: EtcdMember): readonly string[] =>
  members.filter((one) => one.name !== name).map(clientUrl);

/** What a member needs to know about the cluster when it starts for the first time. */
export interface Membership {
  readonly member: EtcdMember;
  readonly members: readonly EtcdMember[];
  readonly dataDir: string;
}

/**
 * Whether the member begins a cluster with the others (`new`), or comes to one that runs (`existing`). A member with data has its
 * answer in its configuration: etcd does not read it again, and it does not change.
 */
export const initialState = dedicated(
  'initial-state',
  query,
  'Ask whether the member begins a cluster or comes to one that runs.',
  ({ member, members, dataDir }: Membership) =>
    query({
      purpose: `whether ${member.name} begins a cluster`,
      run: sh`if [ -d ${`${dataDir}/member`} ] && [ -e ${ETCD.config} ]; then
  sed -n 's/^initial-cluster-state: *//p' ${ETCD.config}
elif ${{ script: others(members, member) }} member list >/dev/null 2>&1; then
  echo existing
else
  echo new
fi`.script,
    }),
);

/** A cluster of one has nobody to ask. */
function others(members: readonly EtcdMember[], member: EtcdMember): string {
  const endpoints = othersOf(members, member);
  return endpoints.length === 0 ? 'false' : etcdctl(member.name, endpoints);
}

/**
 * A member without data comes back to a cluster that knows it: the old one is removed and a new one added in its place. One that
 * the cluster waits for is left as it is.
 */
export const rejoin = dedicated(
  'rejoin',
  checkedCommand,
  'Let a member that lost its data come back: remove the old one, add a new one.',
  ({ member, members, dataDir, state }: Membership & { readonly state: Ref<string> }) => {
    const ask = others(members, member);
    const mine = `grep -F ', ${peerUrl(member)},'`;
    return checkedCommand({
      purpose: `add ${member.name} to the cluster that runs`,
      env: { state },
      check: `[ "$state" = new ] || [ -d '${dataDir}/member' ] || ${ask} member list | ${mine} | grep -q ', unstarted,'`,
      run: `id=$(${ask} member list | ${mine} | cut -d, -f1)
[ -z "$id" ] || ${ask} member remove "$id" || exit
${ask} member add '${member.name}' --peer-urls='${peerUrl(member)}'`,
      retry: { attempts: 5, delaySeconds: 3, onOutput: 'unhealthy cluster|re-configuration|deadline' },
      timeoutSeconds: 120,
    });
  },
);

/** What a member reads. */
export interface EtcdConfig extends Membership {
  readonly etcd: Spec['etcd'];
  /** Tells clusters apart that find each other by mistake. */
  readonly token: string;
  readonly state: Ref<string>;
}

/** The configuration of a member. */
export const etcdConfig = dedicated('config', file, 'The configuration of a member of etcd.', (params: EtcdConfig) =>
  file({ path: ETCD.config, content: { yaml: configOf(params) as JsonObject }, mode: '0640', owner: 'root:etcd' }),
);

function configOf({ member, members, dataDir, etcd, token, state }: EtcdConfig): Wanted<JsonObject> {
  const own = {
    'cert-file': `${ETCD.ssl}/member-${member.name}.crt`,
    'key-file': `${ETCD.ssl}/member-${member.name}.key`,
  };
  const security = { ...own, 'trusted-ca-file': ETCD.ca, 'client-cert-auth': true };
  return {
    name: member.name,
    'data-dir': dataDir,
    'listen-peer-urls': peerUrl(member),
    'initial-advertise-peer-urls': peerUrl(member),
    'listen-client-urls': `${clientUrl(member)},https://127.0.0.1:${CLIENT_PORT}`,
    'advertise-client-urls': clientUrl(member),
    'listen-metrics-urls': 'http://127.0.0.1:2381',
    'initial-cluster': members.map((one) => `${one.name}=${peerUrl(one)}`).join(','),
    'initial-cluster-token': token,
    'initial-cluster-state': state,
    'heartbeat-interval': etcd.heartbeatInterval,
    'election-timeout': etcd.electionTimeout,
    'snapshot-count': etcd.snapshotCount,
    'auto-compaction-mode': 'periodic',
    'auto-compaction-retention': `${etcd.autoCompactionRetention}h`,
    metrics: etcd.metrics,
    'quota-backend-bytes': etcd.quotaBackendBytes,
    'max-request-bytes': etcd.maxRequestBytes,
    'max-snapshots': etcd.maxSnapshots,
    'max-wals': etcd.maxWals,
    'log-level': etcd.logLevel,
    'client-transport-security': security,
    'peer-transport-security': security,
  };
}

/** The unit of etcd. */
export const etcdUnitFile = dedicated(
  'unit',
  file,
  'The unit of etcd.',
  (params: { readonly restrictOomScore: boolean; readonly maxFiles: number }) =>
    file({
      path: ETCD.unit,
      content: {
        template: etcdUnit,
        values: {
          program: ETCD.program,
          config: ETCD.config,
          files: params.maxFiles,
          oomScore: params.restrictOomScore ? '' : 'OOMScoreAdjust=-999\n',
        },
      },
      mode: '0644',
      owner: 'root:root',
    }),
);

/** etcd itself. All members start together: none is up before enough of them are. */
export const etcdService = dedicated(
  'service',
  service,
  'A member of etcd, enabled and running with the files that are there now.',
  (params: { readonly dataDir: string; readonly fingerprint: Wanted<Json> }) =>
    service({
      unit: 'etcd',
      enabled: true,
      running: 'started',
      fingerprint: params.fingerprint,
      reads: [ETCD.config, ETCD.unit, ETCD.program, ETCD.ssl],
      timeoutSeconds: 330,
      effects: [{ type: 'path', path: `${params.dataDir}/member` }],
    }),
);

/** A member that answers, with a leader. */
export const memberHealthy = dedicated(
  'healthy',
  waitForCommand,
  'Wait until the member answers.',
  ({ member }: { readonly member: EtcdMember }) =>
    waitForCommand({
      run: `${etcdctl(member.name, [clientUrl(member)])} endpoint health >/dev/null`,
      purpose: `etcd on ${member.name}`,
      timeoutSeconds: 120,
      intervalSeconds: 1,
    }),
);
