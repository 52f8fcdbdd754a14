import { describe, expect, test } from 'vitest';
import { changed, plus } from '../../test/configs/cases.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { loadConfig } from './load.ts';

async function load(text: string): Promise<Cluster> {
  const { cluster, problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems.filter((one) => one.severity === 'error')).toEqual([]);
  return cluster!;
}

describe('SSH', () => {
  test('a host overrides what holds for all', async () => {
    const { spec } = await load(
      plus('ssh: {user: admin, port: 2222, privateKeyPath: ~/.ssh/all, sudoPassword: "env:SUDO"}\n', [
        '172.16.0.2}',
        '172.16.0.2, user: root, sudoPassword: prompt}',
      ]),
    );
    expect(spec.hosts[0]?.ssh).toMatchObject({ user: 'root', port: 2222, privateKeyPath: '~/.ssh/all' });
    expect(spec.hosts[0]?.ssh.sudoPassword?.at).toBe('spec.hosts[0].sudoPassword');
    expect(spec.hosts[1]?.ssh.sudoPassword?.at).toBe('spec.ssh.sudoPassword');
  });

  test('bastions form a chain; each has its own login', async () => {
    const { spec } = await load(
      plus(
        'ssh: {user: admin, bastion: [{address: gate.example.com, user: jump, port: 2222, privateKeyPath: ~/.ssh/gate}, node1]}\n',
        ['172.16.0.2}', '172.16.0.2, port: 8022}'],
        ['172.16.0.4}', '172.16.0.4, bastion: []}'],
      ),
    );
    const gate = { address: 'gate.example.com', user: 'jump', port: 2222, privateKeyPath: '~/.ssh/gate' };
    // node1 is one of the bastions: it is reached through those before it.
    expect(spec.hosts[0]?.ssh.bastions).toEqual([gate]);
    expect(spec.hosts[1]?.ssh.bastions).toEqual([gate, { address: '172.16.0.2', user: 'admin', port: 8022 }]);
    expect(spec.hosts[2]?.ssh.bastions).toEqual([]);
  });

  test('host keys belong to one machine each: one or several, of hosts and of bastions', async () => {
    const [one, two, three] = ['a', 'b', 'c'].map((letter) => `SHA256:${letter.repeat(43)}`);
    const { spec } = await load(
      plus(
        `ssh: {hostKeyPolicy: ask, bastion: [{address: gate.example.com, hostKey: "${one}"}, node1]}\n`,
        ['172.16.0.2}', `172.16.0.2, hostKey: ["${two}", "${three}"]}`],
        ['172.16.0.4}', '172.16.0.4, hostKey: []}'],
      ),
    );
    const [first, second, third] = spec.hosts.map(({ ssh }) => ssh);
    expect(spec.hosts.map(({ ssh }) => ssh.hostKeyPolicy)).toEqual(['ask', 'ask', 'ask']);
    expect(first?.hostKey).toEqual([two, three]);
    expect(second?.hostKey).toBeUndefined();
    expect(third?.hostKey).toBeUndefined();
    expect(second?.bastions.map(({ hostKey }) => hostKey)).toEqual([[one], [two, three]]);
    const { spec: silent } = await load(changed());
    expect(silent.hosts[0]?.ssh).not.toHaveProperty('hostKeyPolicy');
  });

  test('a bastion that is a host brings its own way along', async () => {
    const { spec } = await load(
      changed(
        ['172.16.0.2}', '172.16.0.2, bastion: {address: 1.2.3.4}}'],
        ['172.16.0.3}', '172.16.0.3, bastion: node1}'],
      ),
    );
    expect(spec.hosts[1]?.ssh.bastions.map((hop) => hop.address)).toEqual(['1.2.3.4', '172.16.0.2']);
  });
});

describe('one address of each family', () => {
  const dual = (host: string, pods: string): string =>
    plus(
      `network: {kubePodsCIDR: "${pods}", kubeServiceCIDR: "10.2.0.0/16,fd02::/112"}\n`,
      ['172.16.0.2}', `172.16.0.2, internalAddress: "${host}"}`],
      ['172.16.0.3}', '172.16.0.3, internalAddress: "172.16.0.3,fd00::3"}'],
      ['172.16.0.4}', '172.16.0.4, internalAddress: "172.16.0.4,fd00::4"}'],
    );

  test.each([
    ['172.16.0.2,fd00::2', '10.1.0.0/16,fd01::/64'],
    ['172.16.0.2, fd00::2', '10.1.0.0/16, fd01::/64'],
    ['172.16.0.2 ,fd00::2 ', '10.1.0.0/16 ,  fd01::/64'],
  ])('a host at “%s”, pods in “%s”', async (host, pods) => {
    const { spec } = await load(dual(host, pods));
    expect(spec.hosts[0]?.internal).toMatchObject({ ipv4: '172.16.0.2', ipv6: 'fd00::2' });
    expect(spec.network.kubePodsCIDR).toMatchObject({ ipv4: '10.1.0.0/16', ipv6: 'fd01::/64' });
  });
});

test('in a login of a registry, as elsewhere, a key without a value says nothing', async () => {
  const { spec } = await load(
    plus('registry:\n  auths:\n    r.example.com:\n      skipTLSVerify: true\n      certsPath:\n'),
  );
  expect(spec.registry.auths['r.example.com']).toEqual({ skipTLSVerify: true, plainHTTP: false });
});

describe('other spellings', () => {
  test.each<[string, string, (spec: Cluster['spec']) => unknown, unknown]>([
    ['control-plane', changed(['master:', 'control-plane:']), (spec) => spec.roleGroups.master, ['node1']],
    ['controlplane', changed(['master:', 'controlplane:']), (spec) => spec.roleGroups.master, ['node1']],
    ['workers', changed(['worker:', 'workers:']), (spec) => spec.roleGroups.worker, ['node2', 'node3']],
    ['stack', changed(['type: kubeadm', 'type: stack']), (spec) => spec.etcd.type, 'kubeadm'],
    [
      'externalConfig',
      changed(['type: kubeadm', 'type: external\n    externalConfig: {endpoints: ["http://10.0.0.9:2379"]}']),
      (spec) => spec.etcd.external?.endpoints,
      ['http://10.0.0.9:2379'],
    ],
    ['runtime', plus('runtime: {type: docker}\n'), (spec) => spec.kubernetes.containerRuntime.type, 'docker'],
    [
      'kubernetes.runtime',
      changed(['version: v1.34.2', 'version: v1.34.2\n    runtime: {type: isula}']),
      (spec) => spec.kubernetes.containerRuntime.type,
      'isulad',
    ],
    [
      'runtime as text',
      changed(['version: v1.34.2', 'version: v1.34.2\n    containerRuntime: crio']),
      (spec) => spec.kubernetes.containerRuntime.type,
      'cri-o',
    ],
    [
      'mirrors with the runtime',
      changed([
        'version: v1.34.2',
        'version: v1.34.2\n    containerRuntime: {type: crio, crio: {registryMirrors: [m.example.com]}}',
      ]),
      (spec) => spec.registry.registryMirrors,
      ['m.example.com'],
    ],
    [
      'loadBalancer internal',
      plus('loadBalancer: {mode: internal, internal: {type: kube-vip}, vip: 172.16.0.99}\n'),
      (spec) => [spec.controlPlaneEndpoint.internalLoadbalancer, spec.controlPlaneEndpoint.address?.list],
      ['kube-vip', ['172.16.0.99']],
    ],
    [
      'loadBalancer external',
      plus('loadBalancer: {mode: external, external: {type: external}, vip: 172.16.0.99}\n'),
      (spec) => spec.controlPlaneEndpoint.externalLoadBalancer,
      'external',
    ],
    [
      'internalLoadBalancer',
      plus('controlPlaneEndpoint: {internalLoadBalancer: nginx}\n'),
      (spec) => spec.controlPlaneEndpoint.internalLoadbalancer,
      'nginx',
    ],
    [
      'podSubnet',
      plus('network: {podSubnet: 10.244.0.0/16, serviceCidr: 10.96.0.0/12}\n'),
      (spec) => [spec.network.kubePodsCIDR.ipv4, spec.network.kubeServiceCIDR.ipv4],
      ['10.244.0.0/16', '10.96.0.0/12'],
    ],
    [
      'etcd.nodes',
      changed(['type: kubeadm', 'type: kubexm\n    nodes: [node1]']),
      (spec) => spec.roleGroups.etcd,
      ['node1'],
    ],
    [
      'host as text',
      plus('host:\n  192.168.1.100 a.example.com\n  192.168.1.101 b.example.com\n'),
      (spec) => spec.extra.hosts.map((one) => one.domain),
      ['a.example.com', 'b.example.com'],
    ],
    ['resolves as text', plus('extra: {resolves: 8.8.8.8}\n'), (spec) => spec.extra.resolves, [{ address: '8.8.8.8' }]],
    [
      'etcdresolve',
      plus('extra: {etcdresolve: {address: 8.8.8.8}}\n'),
      (spec) => spec.extra.resolves,
      [{ address: '8.8.8.8' }],
    ],
    [
      'sources as text',
      plus('artifacts: {sources: [upstream, {type: directory, path: /srv/files}, go], zone: cn}\n'),
      (spec) => spec.artifacts.sources.map((one) => one.type),
      ['upstream', 'directory', 'go'],
    ],
  ])('%s', async (_, text, read, value) => {
    expect(read((await load(text)).spec)).toEqual(value);
  });

  test('problems name the path that was written', async () => {
    const { problems } = await loadConfig({ text: plus('loadBalancer: {vip: nowhere}\n'), file: 'cluster.yaml' });
    expect(problems[0]?.params['field']).toBe('spec.loadBalancer.vip');
  });
});
