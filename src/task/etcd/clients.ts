import { basename } from 'node:path';
import { etcd, externalEtcd } from '../../component/etcd.ts';
import { nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member, type Ref } from '../../plan/ref.ts';
import { installPrograms } from '../../step/artifacts.ts';
import {
  clientCertificate,
  etcdAuthority,
  etcdCertificates,
  externalFile,
  type Kept,
} from '../../step/etcd/certificates.ts';
import { externalHealthy } from '../../step/etcd/external.ts';
import { etcdDirectory } from '../../step/etcd/member.ts';
import { ETCD, ETCD_CLIENT } from '../../step/etcd/places.ts';
import { programs } from '../artifacts/programs.ts';
import { targetMasters } from '../nodes.ts';
import { authorityOf, endpointsOf, pkiOf } from './members.ts';

const CLIENT = 'apiserver-etcd-client';

/** Files of this machine, by the names that they get on masters. */
type ClientFiles = Readonly<Record<string, Ref<Kept>>>;

/** Those files, and what makes or reads them. */
interface Made {
  readonly made: ExecutionFragment;
  readonly files: ClientFiles;
}

/**
 * What API servers reach etcd by, where it does not run beside them. All masters have the same certificate: kubeadm gives that of
 * the first one to those that join.
 */
export const etcdClientsTask = defineTask({
  name: 'etcd/clients',
  description: 'Certificates by which the API servers reach etcd; an etcd that exists is asked whether it is healthy.',
  tags: ['etcd'],
  steps: [
    etcdAuthority,
    clientCertificate,
    externalFile,
    etcdDirectory,
    etcdCertificates,
    installPrograms,
    externalHealthy,
  ],
  isRequired: ({ cluster }) => etcd.isUsed(cluster) || externalEtcd.isUsed(cluster),
  plan: (context) => {
    const exists = externalEtcd.isUsed(context.cluster);
    const { made, files } = clientFiles(context);
    const secure = Object.keys(files).length > 0;
    const placed = secure ? placedFiles(context, files) : nothing();
    return exists ? sequence(made, placed, asked(context, secure)) : sequence(made, placed);
  },
});

/** The files on every master. A master that is a member of etcd has their directory already. */
function placedFiles(context: PlanContext, files: ClientFiles): ExecutionFragment {
  const masters = targetMasters(context);
  const others = etcd.isUsed(context.cluster) ? masters.filter(({ roles }) => !roles.includes('etcd')) : masters;
  return sequence(
    on(others, etcdDirectory({ path: ETCD.ssl, mode: '0700', owner: 'root:root' }), { name: 'directory-clients' }),
    on(masters, etcdCertificates({ files, owner: 'root:root', mode: '0600' }), { name: 'client-certificates' }),
  );
}

/** Every master asks the etcd that exists. */
function asked(context: PlanContext, secure: boolean): ExecutionFragment {
  const masters = targetMasters(context);
  return sequence(
    programs(context, masters, 'etcd', ['etcdctl'], '/usr/local/bin'),
    on(masters, externalHealthy({ endpoints: endpointsOf(context.cluster), secure })),
  );
}

/** What an API server must have been started with to reach etcd. */
export function etcdClientDigests(context: PlanContext): readonly Ref<string>[] {
  return Object.values(clientFiles(context).files).map((file) => member(file, 'sha256'));
}

/** Made or read once for all tasks. */
function clientFiles(context: PlanContext): Made {
  const exists = externalEtcd.isUsed(context.cluster);
  return context.once(clientFiles, () => (exists ? broughtFiles(context) : ownFiles(context)));
}

function ownFiles(context: PlanContext): Made {
  const ca = authorityOf(context);
  const client = on(
    context.local,
    clientCertificate({ ...pkiOf(context), issuer: ca.ref(), name: CLIENT, commonName: 'kube-apiserver-etcd-client' }),
    { name: CLIENT },
  );
  const files: ClientFiles = {
    [fileName('caFile')]: member(client.ref(), 'ca'),
    [fileName('certFile')]: member(client.ref(), 'certificate'),
    [fileName('keyFile')]: member(client.ref(), 'key'),
  };
  return { made: parallel(ca, client), files };
}

function broughtFiles(context: PlanContext): Made {
  const { external } = context.cluster.spec.etcd;
  const read = (['caFile', 'certFile', 'keyFile'] as const).flatMap((key) => {
    const path = external?.[key];
    return path === undefined
      ? []
      : [[fileName(key), on(context.local, externalFile({ path }), { name: key })] as const];
  });
  const files: ClientFiles = Object.fromEntries(read.map(([name, one]) => [name, one.ref()]));
  return { made: parallel(...read.map(([, one]) => one)), files };
}

function fileName(key: keyof typeof ETCD_CLIENT): string {
  return basename(ETCD_CLIENT[key]);
}
