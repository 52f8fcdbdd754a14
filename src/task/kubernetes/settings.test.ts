import { describe, expect, test } from 'vitest';
import {
  balancedBy,
  contextWithArtifacts,
  creatable,
  creation,
  fromPrograms,
} from '../../../test/plans/create-cases.ts';
import { endpoint, kubernetes, SAID } from '../../../test/plans/kubernetes-fields.ts';
import { allBefore } from '../../../test/plans/waits.ts';
import type { PlanContextOptions } from '../../../test/support/plan-context.ts';
import { stackedEtcd } from '../../component/etcd.ts';
import { kubeadm } from '../../component/kubernetes.ts';
import type { JsonObject } from '../../model/json.ts';
import { buildGraph } from '../../plan/graph.ts';
import { renderJson } from '../../plan/render/json.ts';
import { contentBytes } from '../../step/generic/lib/content.ts';
import { initDocuments, joinDocument } from '../../step/kubeadm/config.ts';
import { usedPorts } from '../../step/preflight/ports.ts';
import { firstMaster } from '../nodes.ts';
import { clusterSettings, nodePlaces, nodeSettings } from './settings.ts';

async function documents(text: string, options: PlanContextOptions = {}) {
  const context = await contextWithArtifacts(text, options);
  const [init, cluster, kubelet, proxy] = initDocuments(
    clusterSettings(context),
    nodeSettings(context, firstMaster(context)),
  ) as unknown as readonly [JsonObject, JsonObject, JsonObject, JsonObject];
  return { init, cluster, kubelet, proxy };
}

const GATES = 'featureGates: {RotateKubeletServerCertificate: true, CSIStorageCapacity: true}';
const EVERYTHING = `${GATES}, apiserverCertExtraSans: [192.168.8.8, lb.example.com], masqueradeAll: true, maxPods: 200, podPidsLimit: 5000, nodeCidrMaskSize: 23, proxyMode: ipvs, clusterName: demo.local, kubeletArgs: [--root-dir=/data/kubelet, --v=2], apiserverArgs: [--audit-log-maxage=30], controllerManagerArgs: [--v=3, --kube-api-burst=55], schedulerArgs: [--v=4], kubeletConfiguration: {serializeImagePulls: false}, kubeProxyConfiguration: {ipvs: {excludeCIDRs: [172.16.0.0/24]}}`;

// Refresh with: vitest run src/task/kubernetes/settings.test.ts --update
describe('the settings for kubeadm', () => {
  test.each<[string, string, PlanContextOptions]>([
    ['1.30', creatable({ masters: 3, version: 'v1.30.4' }), {}],
    ['1.34', creatable(), {}],
    ['1.34-everything', kubernetes(EVERYTHING), {}],
    ['1.30-everything', kubernetes(EVERYTHING, { version: 'v1.30.4' }), {}],
    ['1.36-cgroup-v1', creatable({ version: 'v1.36.0' }), { facts: () => ({ cgroup: 1 }) }],
  ])('%s', async (name, text, options) => {
    const context = await contextWithArtifacts(text, options);
    const init = initDocuments(clusterSettings(context), nodeSettings(context, firstMaster(context)));
    const settings = { token: 'TOKEN', caCertHash: 'HASH', endpoint: 'lb.kubexm.local:6443', bindPort: 6443 };
    const { version } = context.cluster.spec.kubernetes;
    const joins = context.hosts.slice(1).map((host) => {
      const key = host.roles.includes('master') ? { certificateKey: 'KEY' } : {};
      return joinDocument({ ...settings, ...key, version }, nodeSettings(context, host)) as JsonObject;
    });
    const text_ = Buffer.from(contentBytes({ documents: [...init, ...joins] })).toString();
    await expect(text_).toMatchFileSnapshot(`documents/${name}.yaml`);
  });
});

test.each([
  ['containerd', '/run/containerd/containerd.sock'],
  ['docker', '/run/cri-dockerd.sock'],
  ['cri-o', '/run/crio/crio.sock'],
  ['isulad', '/run/isulad.sock'],
])('the kubelet finds %s where it listens', async (runtime, socket) => {
  const context = await contextWithArtifacts(kubernetes(`containerRuntime: {type: ${runtime}}`));
  expect(nodeSettings(context, firstMaster(context)).criSocket).toBe(socket);
});

describe('the version decides', () => {
  test.each([
    ['v1.30.4', 'kubeadm.k8s.io/v1beta3', undefined, ['HTTPProxyCIDR'], 'iptables'],
    ['v1.31.4', 'kubeadm.k8s.io/v1beta4', false, ['HTTPProxyCIDR'], 'iptables'],
    ['v1.34.2', 'kubeadm.k8s.io/v1beta4', false, undefined, 'nftables'],
    ['v1.36.0', 'kubeadm.k8s.io/v1beta4', false, ['SystemVerification'], 'nftables'],
  ])('%s on control groups v1', async (version, api, fail, ignored, mode) => {
    const { init, kubelet, proxy } = await documents(creatable({ version }), {
      facts: () => ({ cgroup: 1, kernel: '5.15.0' }),
    });
    expect(init['apiVersion']).toBe(api);
    expect(kubelet['failCgroupV1']).toBe(fail);
    expect((init['nodeRegistration'] as JsonObject)['ignorePreflightErrors']).toEqual(ignored);
    expect(proxy['mode']).toBe(mode);
  });

  test('on control groups v2 nothing is said, and an old kernel has no nftables', async () => {
    const { init, kubelet, proxy } = await documents(creatable({ version: 'v1.36.0' }), {
      facts: () => ({ cgroup: 2, kernel: '5.10.0-28-amd64' }),
    });
    expect(kubelet).not.toHaveProperty('failCgroupV1');
    expect(init['nodeRegistration']).not.toHaveProperty('ignorePreflightErrors');
    expect(proxy['mode']).toBe('iptables');
  });
});

describe('fields of the kubelet and of kube-proxy', () => {
  test.each<[string, 'kubelet' | 'proxy' | 'cluster', JsonObject]>([
    ['maxPods: 200', 'kubelet', { maxPods: 200 }],
    ['podPidsLimit: -1', 'kubelet', { podPidsLimit: -1 }],
    ['kubeletConfiguration: {rotateCertificates: false}', 'kubelet', { rotateCertificates: false }],
    [GATES, 'kubelet', { featureGates: { RotateKubeletServerCertificate: true } }],
    [GATES, 'proxy', { featureGates: { RotateKubeletServerCertificate: true } }],
    [
      `${GATES}, kubeletConfiguration: {featureGates: {MemoryQoS: true}}`,
      'kubelet',
      { featureGates: { RotateKubeletServerCertificate: true, MemoryQoS: true } },
    ],
    ['proxyMode: ipvs', 'proxy', { mode: 'ipvs' }],
    ['proxyMode: iptables, masqueradeAll: true', 'proxy', { iptables: { masqueradeAll: true } }],
    ['proxyMode: nftables, masqueradeAll: true', 'proxy', { nftables: { masqueradeAll: true } }],
    ['proxyMode: ipvs, masqueradeAll: true', 'proxy', { iptables: { masqueradeAll: true } }],
    [
      'proxyMode: iptables, masqueradeAll: true, kubeProxyConfiguration: {iptables: {minSyncPeriod: 2s}}',
      'proxy',
      { iptables: { masqueradeAll: true, minSyncPeriod: '2s' } },
    ],
    [
      'proxyMode: ipvs, kubeProxyConfiguration: {ipvs: {excludeCIDRs: [172.16.0.0/24]}}',
      'proxy',
      { ipvs: { excludeCIDRs: ['172.16.0.0/24'] } },
    ],
    [
      'nodeCidrMaskSize: 25',
      'cluster',
      { controllerManager: { extraArgs: expect.arrayContaining([{ name: 'node-cidr-mask-size', value: '25' }]) } },
    ],
  ])('%s: in %s', async (fields, where, expected) => {
    expect((await documents(kubernetes(fields)))[where]).toMatchObject(expected);
  });

  test('a flag given twice has both values, also where kubeadm takes a map', async () => {
    const twice = '--enable-admission-plugins=NodeRestriction, --enable-admission-plugins=AlwaysPullImages';
    const { cluster } = await documents(kubernetes(`apiserverArgs: [${twice}]`, { version: 'v1.30.4' }));
    expect(cluster['apiServer']).toMatchObject({
      extraArgs: { 'enable-admission-plugins': 'NodeRestriction,AlwaysPullImages' },
    });
  });
});

const tainted = (taint: string) => creatable().replace(/(name: cp1, [^}]*)\}/, `$1, taints: ["${taint}"]}`);

test('a node gets the taints of the file beside that of a control plane', async () => {
  const { init } = await documents(tainted('gpu=true:NoSchedule'));
  expect(init['nodeRegistration']).toMatchObject({
    taints: [
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
      { key: 'gpu', value: 'true', effect: 'NoSchedule' },
    ],
  });
});

test('a worker has a list of taints only where the file has one', async () => {
  const own = creatable().replace(/(name: node1, [^}]*)\}/, '$1, taints: [slow:NoExecute]}');
  const context = await contextWithArtifacts(own);
  const taints = Object.fromEntries(context.hosts.map((host) => [host.name, nodeSettings(context, host).taints]));
  expect(taints).toMatchObject({ node1: [{ key: 'slow', effect: 'NoExecute' }] });
  expect(taints['node2']).toBeUndefined();
});

const FIELDS = [...kubeadm.fields, ...stackedEtcd.fields];
/** These say the only value that there is. */
const FIXED = FIELDS.filter((field) => field.includes('='));

describe('what it acts on', () => {
  test.each(FIELDS.filter((field) => !FIXED.includes(field)))('%s changes the plan', async (field) => {
    const said = SAID[field];
    expect(said, `no case for ${field}`).toBeDefined();
    const [before, after] = typeof said === 'string' ? [creatable(), said] : (said as readonly [string, string]);
    const hash = async (text: string) => renderJson(buildGraph(await creation(text))).hash;
    expect(await hash(after)).not.toBe(await hash(before));
  });

  test('the port that kubeadm binds is the one that is checked before', async () => {
    const text = endpoint('lb_address: 192.0.2.9, port: 8443');
    const { init } = await documents(text);
    expect(init['localAPIEndpoint']).toMatchObject({ bindPort: 8443 });
    const { cluster } = await contextWithArtifacts(text);
    expect(usedPorts(cluster, cluster.spec.hosts[0]!)).toContain(8443);
  });

  test.each([
    ['', ['10.1.0.100/32']],
    [', kubeProxyConfiguration: {ipvs: {excludeCIDRs: [192.0.2.0/24]}}', ['192.0.2.0/24', '10.1.0.100/32']],
  ])('kube-proxy in ipvs mode leaves the virtual IP of kube-vip alone: %j', async (more, excludeCIDRs) => {
    const text = balancedBy('internalLoadbalancer: kube-vip, lb_address: 10.1.0.100');
    const ipvs = text.replace('kubernetes: {', `kubernetes: {proxyMode: ipvs${more}, `);
    const { proxy } = clusterSettings(await contextWithArtifacts(ipvs));
    expect(proxy).toMatchObject({ mode: 'ipvs', ipvs: { strictARP: true, excludeCIDRs } });
    expect(clusterSettings(await contextWithArtifacts(text)).proxy).not.toHaveProperty('ipvs');
  });

  test('a worker with a proxy joins beside its manifest, and keeps it when it has to try again', async () => {
    const text = balancedBy('internalLoadbalancer: haproxy');
    const context = await contextWithArtifacts(text);
    const [worker, master] = ['node1', 'cp2'].map((name) => context.hosts.find((one) => one.name === name)!);
    expect(nodeSettings(context, worker!).ignoredChecks).toContain('DirAvailable--etc-kubernetes-manifests');
    expect(nodeSettings(context, master!).ignoredChecks).not.toContain('DirAvailable--etc-kubernetes-manifests');
    expect(nodePlaces(context, worker!).staticPods).toEqual(['/etc/kubernetes/manifests/haproxy.yaml']);
    expect(nodePlaces(context, master!)).not.toHaveProperty('staticPods');
  });

  test('where etcd and the kubelet have their files is where a reset looks for them', async () => {
    const text = kubernetes('kubeletArgs: [--root-dir=/data/kubelet]').replace(
      'etcd: {type: kubeadm}',
      'etcd: {type: kubeadm, dataDir: /data/etcd}',
    );
    const { nodes } = renderJson(buildGraph(await creation(text)));
    const plan = (id: string) => JSON.stringify(nodes.find((node) => node.id === id));
    for (const path of ['/data/etcd', '/data/kubelet', '/var/lib/kubelet']) {
      expect(plan('kubernetes/kubelet/kubelet-enabled')).toContain(`"path":"${path}"`);
    }
    expect(plan('kubernetes/kubelet/kubelet-enabled')).toContain('"below":"/data/kubelet/pods"');
    expect(plan('kubernetes/init/init')).toContain('/data/etcd/member');
    expect(plan('kubernetes/init/init')).toContain('/data/kubelet');
    // A worker has no etcd: what is there is somebody else's.
    expect(plan('kubernetes/join/join')).toContain('/data/kubelet');
    expect(plan('kubernetes/join/join')).not.toMatch(/\/data\/etcd|etcd\/member/);
  });

  test('an etcd that is there already is nobody’s to begin on', async () => {
    const { nodes } = renderJson(buildGraph(await creation(creatable())));
    const init = nodes.find(({ id }) => id === 'kubernetes/init/init');
    expect(JSON.stringify(init)).toMatch(/"traces":\[[^\]]*"\/var\/lib\/etcd\/member"/);
  });
});

describe('an audit log and encryption at rest', () => {
  const BOTH = 'audit: {enabled: true}, encryption: {enabled: true}';
  const flag = (name: string, value: string) => ({ name, value });

  test('the static pod of an API server sees their files', async () => {
    const { cluster } = await documents(kubernetes(BOTH));
    expect(cluster['apiServer']).toMatchObject({
      extraArgs: expect.arrayContaining([
        flag('audit-policy-file', '/etc/kubernetes/audit/policy.yaml'),
        flag('encryption-provider-config', '/etc/kubernetes/encryption/config.yaml'),
      ]),
      extraVolumes: [
        { hostPath: '/etc/kubernetes/audit', readOnly: true, pathType: 'Directory' },
        { hostPath: '/var/log/kubernetes/audit', readOnly: false },
        { hostPath: '/etc/kubernetes/encryption', readOnly: true },
      ],
    });
    expect((await documents(creatable())).cluster['apiServer']).not.toHaveProperty('extraVolumes');
  });

  test('what the user says of the log holds', async () => {
    const { cluster } = await documents(kubernetes(`${BOTH}, apiserverArgs: [--audit-log-maxage=7]`));
    const { extraArgs } = cluster['apiServer'] as { extraArgs: readonly { name: string; value: string }[] };
    expect(extraArgs.filter(({ name }) => name === 'audit-log-maxage')).toEqual([flag('audit-log-maxage', '7')]);
  });

  test.each(['kubeadm', 'kubexm'])(
    '%s: masters have them before the API server starts, and no plan has the key',
    async (type) => {
      const text = type === 'kubeadm' ? kubernetes(BOTH) : fromPrograms(kubernetes(BOTH));
      const graph = buildGraph(await creation(text, { skipPreflight: true }));
      const start = type === 'kubeadm' ? 'kubernetes/init/init@cp1' : 'kubernetes/begin/kube-apiserver@cp1';
      const before = allBefore(graph, start);
      for (const id of ['encryption', 'audit-policy', 'directory-auditLog'])
        expect(before).toContain(`kubernetes/api-server/${id}@cp1`);
      expect(before).toContain('kubernetes/api-server-keys/encryption@local');
      const effects = JSON.stringify(renderJson(graph).nodes.find(({ id }) => id.endsWith('/kubelet-enabled')));
      expect(effects).toContain('{"type":"path","path":"/var/log/kubernetes/audit"}');
      // The log was in it when the step that made it was undone.
      expect(effects).toContain('{"type":"directory","path":"/var/log/kubernetes"}');
    },
  );

  test('a policy of the user’s own is sent as it is', async () => {
    const text = kubernetes('audit: {enabled: true, policyFile: /srv/policy.yaml}');
    const { nodes } = renderJson(buildGraph(await creation(text, { skipPreflight: true })));
    expect(JSON.stringify(nodes.find(({ id }) => id === 'kubernetes/api-server-keys/own-audit-policy'))).toContain(
      '/srv/policy.yaml',
    );
    expect(JSON.stringify(nodes.find(({ id }) => id === 'kubernetes/api-server/audit-policy'))).toContain(
      'own-audit-policy',
    );
  });
});
