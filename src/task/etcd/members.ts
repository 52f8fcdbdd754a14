import { hostsOf } from '../../model/cluster/cluster.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import { on, type StepFragment } from '../../plan/combinators.ts';
import type { PlanContext } from '../../plan/layers.ts';
import { member, type Ref } from '../../plan/ref.ts';
import {
  type Authority,
  type Certified,
  type EtcdPki,
  etcdAuthority,
  type Kept,
} from '../../step/etcd/certificates.ts';
import { clientUrl, type EtcdMember } from '../../step/etcd/places.ts';

/** The members of etcd as a service, in the order of the file. */
export function membersOf(cluster: Cluster): readonly EtcdMember[] {
  return hostsOf(cluster, 'etcd').map(({ name, internal }) => ({ name, address: internal.list[0] ?? '' }));
}

/** Where API servers find etcd, unless it runs beside them. */
export function endpointsOf(cluster: Cluster): readonly string[] {
  const { type, external } = cluster.spec.etcd;
  return type === 'external' ? (external?.endpoints ?? []) : membersOf(cluster).map(clientUrl);
}

/** The CA of etcd, made once for all tasks. */
export function authorityOf(context: PlanContext): StepFragment<Authority> {
  return context.once(authorityOf, () => on(context.local, etcdAuthority(pkiOf(context))));
}

/** What all certificates of etcd are made by. */
export function pkiOf({ cluster, workDir }: PlanContext): EtcdPki {
  return { workDir, pki: cluster.spec.pki };
}

/** Certificates as files of a host, `NAME.crt` and `NAME.key` beside `ca.crt`, and the digests that a service must know. */
export function certificateRefs(certificates: Readonly<Record<string, Ref<Certified>>>) {
  const entries = Object.entries(certificates);
  const files = Object.fromEntries(
    entries.flatMap(([name, made]): [string, Ref<Kept>][] => [
      [`${name}.crt`, member(made, 'certificate')],
      [`${name}.key`, member(made, 'key')],
      ['ca.crt', member(made, 'ca')],
    ]),
  );
  return { files, digests: Object.values(files).map((one) => member(one, 'sha256')) };
}
