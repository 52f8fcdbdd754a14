import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { labConfig } from '../../src/lab/config.ts';
import type { Lab } from '../../src/lab/index.ts';
import { thorough } from '../rig/thorough.ts';
import { askDns } from './ask-dns.ts';
import { BUILD, clusterLab, MINUTE } from './cluster-lab.ts';
import { describeLab } from './fixture.ts';

/** A registry that has nothing, and what it was asked for. */
const REGISTRY = `systemd-run -q --unit=t-registry perl -MIO::Socket::INET -e '
  my $all = IO::Socket::INET->new(LocalPort => 5000, Listen => 9, ReuseAddr => 1) or die;
  while (my $one = $all->accept) {
    my $asked = <$one>;
    open my $log, ">>", "/run/t-registry.log"; print $log $asked; close $log;
    print $one "HTTP/1.1 404 Not Found\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n";
  }'
for i in 1 2 3 4 5 6 7 8 9 10; do ss -Hltn | grep -q :5000 && break; sleep 0.2; done`;

/** As much of what can be set as one cluster can have. Data stays where lab machines have a plain disk. */
function configured(lab: Lab): string {
  const [master = '', worker = ''] = lab.machines.map(({ name }) => name);
  const document = parse(labConfig(lab));
  const { spec } = document;
  spec.hosts[1].labels = { disk: 'ssd' };
  spec.kubernetes = {
    ...spec.kubernetes,
    containerRuntime: { type: 'containerd', version: '1.7.31' },
    apiserverCertExtraSans: ['api.example.org', '192.0.2.7'],
    maxPods: 60,
    podPidsLimit: 4096,
    nodeCidrMaskSize: 25,
    proxyMode: 'iptables',
    masqueradeAll: true,
    featureGates: { ContextualLogging: false },
    kubeletArgs: ['--v=3', '--event-burst=77'],
    apiserverArgs: ['--event-ttl=2h'],
    controllerManagerArgs: ['--terminated-pod-gc-threshold=321'],
    schedulerArgs: ['--v=1'],
  };
  spec.kubernetes.kubeletConfiguration.serializeImagePulls = false;
  spec.network = { plugin: 'flannel', flannel: { backend: 'host-gw' }, kubePodsCIDR: '10.66.0.0/16' };
  spec.registry = {
    containerdDataDir: '/var/lib/containerd/elsewhere',
    registryMirrors: [`http://${lab.machines[0]?.address}:5000`],
  };
  spec.dns = {
    ...spec.dns,
    dnsEtcHosts: '192.0.2.33 fixed.example.org',
    coredns: {
      upstreamDNSServers: [lab.machines[0]?.address],
      rewriteBlock: 'rewrite name exact api.example.org kubernetes.default.svc.cluster.local',
      externalZones: [{ zones: ['example.net'], nameservers: [lab.machines[1]?.address], cache: 5 }],
    },
  };
  spec.extra = { hosts: [{ domain: 'storage.example.org', address: '192.0.2.44' }] };
  spec.system = { timezone: 'Asia/Shanghai', ntpServers: [master], debs: ['tree'] };
  expect(worker).not.toBe('');
  return stringify(document);
}

describeLab('a cluster with settings of its own', () => {
  test('has all of them, on its machines and in what runs, and goes without a trace', {
    timeout: BUILD,
  }, async (context) => {
    if (!thorough) return context.skip('needs minutes: npm run test:lab');
    const cluster = await clusterLab(2, { config: async (lab) => configured(await lab.look()) });
    context.onTestFinished(() => cluster.close(), 2 * MINUTE);
    const { lab, well, kubectl } = cluster;
    const [master, worker] = [`${lab.name}-1`, `${lab.name}-2`];
    await well(['create', 'cluster']);

    for (const machine of [1, 2]) {
      const runtime = await lab.exec(machine, 'containerd --version; containerd config dump; ls /var/lib/containerd');
      expect(runtime).toContain(' v1.7.31 ');
      expect(runtime).toMatch(/^root = "\/var\/lib\/containerd\/elsewhere"$/m);
      expect(runtime).toMatch(/SystemdCgroup = true/);
      expect(runtime).toMatch(/\nelsewhere\n$/);
      expect(
        await lab.exec(
          machine,
          'head -1 /etc/containerd/config.toml; date +%Z; getent hosts storage.example.org; command -v tree',
        ),
      ).toMatch(/^version = 2\nCST\n192\.0\.2\.44 +storage\.example\.org\n\/usr\/bin\/tree\n$/);
    }
    await lab.exec(1, REGISTRY);
    await lab.exec(2, 'crictl pull docker.io/library/nothing:1 2>&1 || true');
    expect(await lab.exec(1, 'cat /run/t-registry.log')).toContain('/v2/library/nothing/manifests/1?ns=docker.io');

    const configz = async (path: string) => JSON.parse(await kubectl(`get --raw ${path}`));
    const { kubeletconfig } = await configz(`/api/v1/nodes/${worker}/proxy/configz`);
    expect(kubeletconfig).toMatchObject({
      maxPods: 60,
      podPidsLimit: 4096,
      eventBurst: 77,
      serializeImagePulls: false,
      featureGates: { ContextualLogging: false },
    });
    const proxy = await kubectl('-n kube-system get configmap kube-proxy -o jsonpath="{.data.config\\.conf}"');
    expect(parse(proxy)).toMatchObject({ mode: 'iptables', iptables: { masqueradeAll: true } });
    const commands = await kubectl(
      '-n kube-system get pods -l tier=control-plane -o jsonpath="{.items[*].spec.containers[*].command}"',
    );
    for (const word of [
      '--event-ttl=2h',
      '--terminated-pod-gc-threshold=321',
      '--feature-gates=ContextualLogging=false',
    ])
      expect(commands).toContain(word);
    const { subjectAltName } = new X509Certificate(await lab.exec(1, 'cat /etc/kubernetes/pki/apiserver.crt'));
    expect(subjectAltName).toContain('DNS:api.example.org');
    expect(subjectAltName).toContain('IP Address:192.0.2.7');

    const nodes = JSON.parse(await kubectl('get nodes -o json')).items;
    expect(nodes.map((node: { spec: { podCIDR: string } }) => node.spec.podCIDR)).toEqual([
      expect.stringMatching(/^10\.66\..*\/25$/),
      expect.stringMatching(/^10\.66\..*\/25$/),
    ]);
    expect(nodes[0].spec.taints).toEqual([{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }]);
    expect(nodes[1].spec.taints).toBe(undefined);
    expect(nodes[1].metadata.labels).toMatchObject({ disk: 'ssd', 'node-role.kubernetes.io/worker': '' });
    expect(nodes[0].metadata.name).toBe(master);
    const ways = await lab.exec(1, 'ip route; ls /sys/class/net');
    expect(ways).not.toContain('flannel.1');
    expect(ways).toMatch(/^10\.66\.\S+\/25 via \S+ dev eth0/m);

    expect(await lab.exec(1, askDns('fixed.example.org'))).toBe('192.0.2.33');
    expect(await lab.exec(1, askDns('api.example.org'))).toBe('10.233.0.1');
    const corefile = await kubectl('-n kube-system get configmap coredns -o jsonpath="{.data.Corefile}"');
    expect(corefile).toMatch(/^example\.net:53 \{/m);

    await well(['create', 'cluster', '--detailed-exitcode']);
    expect((await well(['check', 'cluster'])).stderr).toMatch(/The cluster works\. Checks: 14/);
    await lab.exec(1, 'systemctl stop t-registry; rm /run/t-registry.log');
    await well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });
});
