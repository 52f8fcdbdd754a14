import { expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { thorough } from '../rig/thorough.ts';
import { BUILD, clusterLab, MINUTE } from './cluster-lab.ts';
import { describeLab, type TestLab } from './fixture.ts';

const STORED = '    audit: {enabled: true}\n    encryption: {enabled: true}\n';

/** A cluster without kubeadm: so many masters with etcd, the other machines workers. */
const withoutKubeadm = (masters: number, endpoint: string) => async (lab: TestLab) => {
  const look = await lab.look();
  const names = look.machines.map(({ name }) => name);
  const control = names.slice(0, masters).join(', ');
  const groups = `    master: [${control}]\n    etcd: [${control}]\n    worker: [${names.slice(masters).join(', ')}]\n`;
  return labConfig(look)
    .replace(/ {2}roleGroups:\n(?: {4}.*\n)+/, `  roleGroups:\n${groups}${endpoint}`)
    .replace('  kubernetes:\n', `  kubernetes:\n    type: kubexm\n${STORED}`)
    .replace('    type: kubeadm\n', '    type: kubexm\n');
};

const SHAPES = [
  { title: 'one master and a worker', masters: 1, machines: 2, endpoint: '' },
  {
    title: 'three masters and two workers, each with a haproxy',
    masters: 3,
    machines: 5,
    endpoint: '  controlPlaneEndpoint: {internalLoadbalancer: haproxy}\n',
  },
];

describeLab('Kubernetes from its programs', () => {
  test.for(SHAPES)(
    '$title: comes up, stays as it is, works, leaves nothing',
    { timeout: BUILD },
    async ({ masters, machines, endpoint }, context) => {
      if (!thorough) return context.skip('needs minutes: npm run test:lab');
      const cluster = await clusterLab(machines, { config: withoutKubeadm(masters, endpoint) });
      context.onTestFinished(() => cluster.close(), 2 * MINUTE);
      const { lab, well, kubectl } = cluster;
      await well(['create', 'cluster']);
      expect(await cluster.states()).toEqual(Array.from({ length: machines }, () => 'Ready'));
      const units = 'kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy';
      expect(await lab.exec(masters, `systemctl is-enabled ${units} | sort -u`)).toBe('enabled\n');
      expect(await lab.exec(1, 'test ! -e /usr/local/bin/kubeadm && echo gone')).toBe('gone\n');
      // Every kubelet has asked for a certificate of its own, and has got it.
      const requests = (await kubectl('get csr --no-headers')).trim().split('\n');
      expect(requests.length).toBeGreaterThanOrEqual(machines);
      expect(requests.filter((line) => !line.includes('Approved,Issued'))).toEqual([]);
      // Keys are for root alone; workers do not have that of the CA.
      expect(await lab.exec(1, 'find /etc/kubernetes/pki /etc/kubernetes/kubeconfigs ! -user root -o -perm /077')).toBe(
        '',
      );
      expect(await lab.exec(machines, 'ls /etc/kubernetes/pki')).toBe('ca.crt\nkubelet.crt\nkubelet.key\n');
      // etcd has no secret that could be read, and the log says who made it.
      await kubectl('create secret generic planted --from-literal=word=do-not-tell');
      const own = `--cert=/etc/kubexm/etcd/ssl/apiserver-etcd-client.crt --key=/etc/kubexm/etcd/ssl/apiserver-etcd-client.key`;
      const stored = await lab.exec(
        1,
        `etcdctl --cacert=/etc/kubexm/etcd/ssl/ca.crt ${own} --endpoints=https://127.0.0.1:2379 get /registry/secrets/default/planted | tr -dc '[:print:]'`,
      );
      expect(stored).toContain('k8s:enc:secretbox:v1:kubexm:');
      expect(stored).not.toContain('do-not-tell');
      const log = '/var/log/kubernetes/audit/audit.log';
      expect(await lab.exec(1, `grep -om1 '"name":"planted"' ${log}`)).toBe('"name":"planted"\n');
      await well(['create', 'cluster', '--detailed-exitcode']);
      await well(['check', 'cluster']);
      await well(['delete', 'cluster']);
      expect(await cluster.traces()).toEqual({});
    },
  );
});
