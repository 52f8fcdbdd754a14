import { expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { thorough } from '../rig/thorough.ts';
import { BUILD, type ClusterLab, clusterLab, MINUTE } from './cluster-lab.ts';
import { describeLab } from './fixture.ts';

/** The two newest, and the one that users of the configuration's first form have. All other tests take the one between. */
const VERSIONS = [
  { version: 'v1.37.1', givesUpCgroupV1: true, ignored: [] },
  { version: 'v1.36.4', givesUpCgroupV1: true, ignored: [] },
  { version: 'v1.32.2', givesUpCgroupV1: false, ignored: ['HTTPProxyCIDR'] },
];
const KUBELET = "sed -n 's/^failCgroupV1: //p' /var/lib/kubelet/config.yaml";
const KUBEADM = "sed -n '/ignorePreflightErrors/,/^  [a-z]/ s/^ *- //p' /etc/kubernetes/kubeadm-config.yaml";

/** What each node says that it is: its kubelet, and its state. */
async function nodesOf({ kubectl }: ClusterLab): Promise<readonly string[]> {
  const version = '{.status.nodeInfo.kubeletVersion}';
  const ready = '{.status.conditions[?(@.type=="Ready")].status}';
  const text = await kubectl(`get nodes -o jsonpath='{range .items[*]}${version} ${ready}{"\\n"}{end}'`);
  return text.trim().split('\n');
}

describeLab('a cluster of another version', () => {
  test.for(VERSIONS)(
    '$version: created, proven, not changed again, deleted',
    {
      timeout: BUILD,
    },
    async ({ version, givesUpCgroupV1, ignored }, context) => {
      if (!thorough) return context.skip('needs minutes: npm run test:lab');
      const cluster = await clusterLab(2, { config: async (lab) => labConfig(await lab.look(), version) });
      context.onTestFinished(() => cluster.close(), 2 * MINUTE);
      const { lab, well, kubectl } = cluster;

      const created = await well(['create', 'cluster']);
      expect(await nodesOf(cluster)).toEqual([`${version} True`, `${version} True`]);
      expect(JSON.parse(await kubectl('get --raw /version'))).toMatchObject({ gitVersion: version });

      const isV1 = (await lab.exec(1, 'stat -f -c %T /sys/fs/cgroup')).trim() !== 'cgroup2fs';
      const told = isV1 && givesUpCgroupV1;
      expect(created.stderr.includes('KX4513')).toBe(told);
      if (told) expect(created.stderr).toContain(`control groups v1 with Kubernetes ${version}`);
      const left = [...(told ? ['SystemVerification'] : []), ...ignored];
      expect((await lab.exec(1, KUBEADM)).split('\n').filter(Boolean)).toEqual(left);
      // It knows the field since 1.31, and ignores it before.
      for (const machine of [1, 2]) expect(await lab.exec(machine, KUBELET)).toBe(isV1 ? 'false\n' : '');

      await well(['create', 'cluster', '--detailed-exitcode']);
      const checked = await well(['check', 'cluster']);
      expect(checked.stderr).toMatch(/The cluster works\. Checks: 14/);

      await well(['delete', 'cluster']);
      expect(await cluster.traces()).toEqual({});
    },
  );
});
