import { expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { cutMachine, startMachine } from '../../src/lab/index.ts';
import { thorough } from '../rig/thorough.ts';
import { BUILD, clusterLab, MINUTE, until } from './cluster-lab.ts';
import { describeLab, type TestLab } from './fixture.ts';

const ETCDCTL = '/usr/local/bin/etcdctl --cacert=/etc/kubexm/etcd/ssl/ca.crt';

/** One machine is the cluster, three others are its etcd. */
async function withEtcdHosts(lab: TestLab): Promise<string> {
  const look = await lab.look();
  const [first, ...members] = look.machines.map(({ name }) => name);
  return labConfig(look)
    .replace(/ {4}worker:\n(?: {6}- .*\n)+/, `    worker: [${first}]\n    etcd: [${members.join(', ')}]\n`)
    .replace('    type: kubeadm\n', '    type: kubexm\n    quotaBackendBytes: 4294967296\n    snapshotCount: 20000\n');
}

describeLab('etcd on hosts of its own', () => {
  test('serves, survives a power cut, takes back a member without data, leaves nothing', {
    timeout: BUILD,
  }, async (context) => {
    if (!thorough) return context.skip('needs minutes: npm run test:lab');
    const cluster = await clusterLab(4, { config: withEtcdHosts });
    context.onTestFinished(() => cluster.close(), 2 * MINUTE);
    const { lab, well, kubectl } = cluster;
    const names = (await lab.look()).machines.map(({ name }) => name);
    const etcdctl = (machine: number, words: string) => {
      const name = names[machine - 1];
      const own = `--cert=/etc/kubexm/etcd/ssl/admin-${name}.crt --key=/etc/kubexm/etcd/ssl/admin-${name}.key`;
      return lab.exec(machine, `${ETCDCTL} ${own} --endpoints=https://127.0.0.1:2379 ${words}`);
    };
    const healthy = async (machine: number) =>
      (await etcdctl(machine, 'endpoint health --cluster')).split('is healthy').length - 1;

    await well(['create', 'cluster']);
    expect(await cluster.states()).toEqual(['Ready']);
    expect(await healthy(2)).toBe(3);
    // A host of etcd is no node: it has neither kubelet nor runtime.
    expect(await lab.exec(2, 'ls /usr/local/bin')).not.toMatch(/kubelet|containerd/);
    expect(await lab.exec(2, 'stat -c "%a %U" /var/lib/etcd')).toBe('700 etcd\n');
    expect(await lab.exec(2, 'cat /etc/kubexm/etcd/etcd.conf.yml')).toMatch(/^quota-backend-bytes: 4294967296$/m);
    await well(['create', 'cluster', '--detailed-exitcode']);
    await well(['check', 'cluster']);

    await cutMachine(names[2] ?? '', { env: lab.env });
    // While the others elect a leader, a write may fail.
    const write = 'create configmap while-one-is-away --from-literal=a=b';
    await until('a write', async () => (await kubectl(write)) !== '');
    await startMachine(names[2] ?? '', { env: lab.env });
    await until('three members', async () => (await healthy(2)) === 3);

    await lab.exec(4, 'systemctl stop etcd && rm -rf /var/lib/etcd/member');
    await well(['create', 'cluster']);
    expect(await healthy(2)).toBe(3);
    expect(await etcdctl(4, 'member list')).not.toContain('unstarted');
    expect(await kubectl('get configmap while-one-is-away -o jsonpath={.data.a}')).toBe('b');
    await well(['create', 'cluster', '--detailed-exitcode']);

    await well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });
});
