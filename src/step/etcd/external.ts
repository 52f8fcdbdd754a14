import { dedicated } from '../../plan/step.ts';
import { waitForCommand } from '../generic/index.ts';
import { ETCD_CLIENT } from './places.ts';

/** An etcd that exists, asked by a master: every endpoint answers and is new enough, none has an alarm. */
export const externalHealthy = dedicated(
  'external-healthy',
  waitForCommand,
  'Wait until an etcd that exists answers this master, without alarms.',
  ({ endpoints, secure }: { readonly endpoints: readonly string[]; readonly secure: boolean }) => {
    const { caFile, certFile, keyFile } = ETCD_CLIENT;
    const files = secure ? ` --cacert=${caFile} --cert=${certFile} --key=${keyFile}` : '';
    const ask = `/usr/local/bin/etcdctl --dial-timeout=3s --command-timeout=10s${files} --endpoints=${endpoints.join(',')}`;
    return waitForCommand({
      run: `${ask} endpoint health >/dev/null || exit
versions=$(${ask} endpoint status -w fields | sed -n 's/^"Version" : "\\(.*\\)"$/\\1/p') || exit
for version in $versions; do
  case $version in [0-2].* | 3.[0-4].*) echo "etcd $version is too old: Kubernetes needs 3.5 or newer"; exit 1 ;; esac
done
alarms=$(${ask} alarm list) || exit
[ -z "$alarms" ] || { echo "alarms: $alarms"; exit 1; }`,
      purpose: 'the external etcd',
      timeoutSeconds: 60,
      intervalSeconds: 2,
    });
  },
);
