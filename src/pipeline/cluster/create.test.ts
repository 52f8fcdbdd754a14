import { describe, expect, test } from 'vitest';
import { balancedBy, creatable, creation } from '../../../test/plans/create-cases.ts';
import { edgesOf } from '../../../test/plans/fixtures.ts';
import { allBefore, waitsFor } from '../../../test/plans/waits.ts';
import { thorough } from '../../../test/rig/thorough.ts';
import { containerd } from '../../component/containerd.ts';
import { coredns } from '../../component/dns.ts';
import { flannel } from '../../component/flannel.ts';
import { loadConfig, unsupportedDefaults, unsupportedFields } from '../../config/index.ts';
import type { Selection } from '../../engine/options.ts';
import { leavesOutChecks, rolesFor } from '../../engine/selection.ts';
import { LOCAL } from '../../model/host.ts';
import { buildGraph, type ExecutionGraph } from '../../plan/graph.ts';
import { barriers, hiddenBarriers } from '../../plan/render/barriers.ts';
import { renderJson } from '../../plan/render/json.ts';
import { renderText } from '../../plan/render/text.ts';
import { undoable } from '../../step/reset.ts';
import { createCluster } from './create.ts';
import { COMMON_FIELDS } from './supported.ts';

/** Where hosts wait for each other: for each other's listeners, for each other's answers, and at the very end. */
const BARRIERS = ['preflight/check/listening', 'preflight/check/reached', 'joined'];

/** As many as one cluster may have, in a thorough run. */
const MANY = thorough ? 5000 : 1000;

/** The graph of a configuration, made once. */
const plans = new Map<string, Promise<ExecutionGraph>>();
function planned(text: string): Promise<ExecutionGraph> {
  const plan = plans.get(text) ?? creation(text).then((made) => buildGraph(made));
  plans.set(text, plan);
  return plan;
}

function places(graph: ExecutionGraph): readonly string[] {
  return barriers(graph).map(({ id }) => id);
}

describe('the barriers of create cluster', () => {
  test.each([
    ['one machine', { masters: 1, workers: 0 }, 1],
    ['3 + 2', { masters: 3, workers: 2 }, 5],
    ['100 nodes', { masters: 3, workers: 97 }, 100],
    [`${MANY} nodes`, { masters: 5, workers: MANY - 5 }, MANY],
  ])('%s: three, and all before a change or after the last join', { timeout: 60_000 }, async (_, parts, hosts) => {
    const text = creatable(parts).replace('worker: []', 'worker: [cp1]');
    const graph = await planned(text);
    expect(places(graph)).toEqual(hosts === 1 ? BARRIERS.slice(2) : BARRIERS);
    const [end] = barriers(graph).slice(-1);
    expect(end).toMatchObject({ needs: 'settled' });
    // The question is asked once, of a person: everybody waits for the answer, and for downloads, and for nothing else.
    const gates = hiddenBarriers(graph).filter((id) => !id.startsWith('artifacts/get/'));
    expect(gates).toEqual(hosts === 1 ? [] : ['preflight/confirm/confirm']);
  });
});

describe('who waits for whom', () => {
  test.each([
    ['kubernetes/init/init@cp1', ['cp1']],
    ['kubernetes/join/join@node1', ['cp1', 'node1']],
    ['kubernetes/join/join@node2', ['cp1', 'node2']],
    ['kubernetes/join/join-cp2@cp2', ['cp1', 'cp2']],
    ['kubernetes/join/join-cp3@cp3', ['cp1', 'cp2', 'cp3']],
    ['cluster/health/nodes-ready@node2', ['cp1', 'node2']],
    ['network/flannel/manifest@cp1', ['cp1']],
    ['cluster/kubeconfig/kubeconfig@cp1', ['cp1']],
    ['cluster/labels/labels@cp1', ['cp1', 'cp2', 'cp3', 'node1', 'node2']],
  ])('%s for %j', async (id, hosts) => {
    expect(waitsFor(await planned(creatable({ masters: 3, workers: 2 })), id)).toEqual(hosts);
  });

  test('what mounts volumes comes beside the cluster, and goes after it', async () => {
    const graph = buildGraph(await creation(creatable()));
    for (const start of ['kubernetes/join/join@node1', 'kubernetes/kubelet/kubelet-enabled@node1']) {
      expect(allBefore(graph, start)).toContain('node/packages/expected@node1');
      expect(allBefore(graph, start)).not.toContain('node/volumes/clients@node1');
    }
    // Nothing else installs packages at that time.
    expect(allBefore(graph, 'node/volumes/clients@node1')).toContain('node/packages/packages@node1');
    expect(allBefore(graph, 'cluster/health/nodes-ready@node1')).toContain('node/volumes/clients@node1');
  });

  test('a directory for units is made when no package comes or goes any more', async () => {
    const graph = buildGraph(await creation(creatable()));
    const before = allBefore(graph, 'kubernetes/kubelet/directory-drop-in@node1');
    expect(before).toContain('node/packages/packages@node1');
    // What takes long goes on beside the packages.
    expect(allBefore(graph, 'kubernetes/install/programs-kubernetes@node1')).not.toContain(
      'node/packages/packages@node1',
    );
  });
});

test('the end comes however nodes fared, once there is a cluster', async () => {
  const graph = await planned(creatable({ masters: 3, workers: 2 }));
  const edges = edgesOf(graph).map((edge) => edge.split(' → ') as [string, string]);
  const before = (id: string) => edges.flatMap(([from, to]) => (to === id ? [from] : [])).sort();
  for (const id of ['cluster/labels/labels@cp1', 'cluster/close/join-secrets@cp1', 'cluster/report/health@cp1'])
    expect(before(id)).toEqual(['joined@local', 'kubernetes/init/init@cp1']);
  expect(before('cluster/report/report@local')).toContain('cluster/report/health@cp1');
  expect(before('cluster/report/report@local').filter((id) => id.endsWith('@local'))).toEqual(['joined@local']);
});

test.each<Partial<Selection>>([
  {},
  { tags: ['join'] },
  { tags: ['kubernetes'] },
  { skipTags: ['init'] },
  { skipTags: ['finish'] },
  { skipTags: ['join'] },
  { tags: ['node'] },
])('a run in which a token is made removes it, and no other does: %j', async (part) => {
  const graph = await planned(creatable());
  const roles = rolesFor(graph, { tags: [], skipTags: [], ...part });
  const roleOf = (id: string) => roles[graph.nodes.findIndex((node) => node.id === id)];
  expect(roleOf('cluster/close/join-secrets')).toBe(roleOf('kubernetes/join/join'));
});

test('whatever can be undone by a step of its own is undone by delete', async () => {
  const { nodes } = await creation(creatable({ masters: 3, workers: 2 }));
  const onHosts = [...nodes.values()].filter(({ hosts }) => !hosts.has(LOCAL));
  const steps = onHosts.flatMap(({ body }) =>
    body.type === 'step' ? [body.use.step] : body.type === 'steps' ? body.uses.map(({ step }) => step) : [],
  );
  const kinds = new Set(undoable.map(({ kind }) => kind));
  const unknown = steps.filter(({ kind, revert, owns, example }) => {
    return revert !== undefined && owns?.(example)?.length !== 0 && !kinds.has(kind);
  });
  expect([...new Set(unknown.map(({ kind }) => kind))]).toEqual([]);
});

describe('the size of the plan', () => {
  test.each([[{ masters: 3, workers: 97 }], [{ masters: 5, workers: MANY - 5 }]])(
    '%j: as many steps as for five hosts, so many nodes per host, edges in proportion',
    { timeout: 60_000 },
    async (parts) => {
      const small = await planned(creatable({ masters: 3, workers: 2 }));
      const graph = await planned(creatable(parts));
      const hosts = parts.masters + parts.workers;
      // One step more for each further master: they join in turn.
      expect(graph.nodes.length).toBe(small.nodes.length + parts.masters - 3);
      const perWorker = graph.nodes.filter((node) => node.hosts.has('node1')).length;
      expect(graph.size).toBeLessThan((hosts + 1) * (perWorker + 15));
      expect(graph.edges.next.length).toBeLessThan(graph.size * 3);
    },
  );

  test.each([
    [100, { masters: 3, workers: 97 }],
    [5000, { masters: 5, workers: 4995 }],
  ])('%i nodes read like five', { timeout: 600_000 }, async (hosts, parts) => {
    const text = renderText(await planned(creatable(parts)), { width: 110 });
    await expect(text).toMatchFileSnapshot(`../../../test/plans/create-${hosts}.txt`);
  });
});

const network = (fields: string) => creatable().replace('plugin: flannel', `plugin: flannel, flannel: {${fields}}`);
const dns = (fields: string) => creatable().replace('dns: {', `dns: {${fields}, `);
const registry = (fields: string) => creatable({ more: `  registry: {${fields}}\n` });
const runtime = (fields: string) =>
  creatable().replace(/kubernetes: \{(.*)\}/, `kubernetes: {$1, containerRuntime: {type: containerd, ${fields}}}`);

/** What a configuration can say about the runtime, the network and names. Those of nodes and Kubernetes are tested there. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  'spec.kubernetes.containerRuntime.version': [runtime('version: 1.7.29')],
  'spec.kubernetes.containerRuntime.containerd.**': [runtime('containerd: {version: 1.7.29}')],
  'spec.registry.containerdDataDir': [registry('containerdDataDir: /data/containerd')],
  'spec.registry.registryMirrors.**': [registry('registryMirrors: [mirror.example.com]')],
  'spec.registry.insecureRegistries.**': [
    registry('insecureRegistries: [hub.example.com]'),
    // Docker Hub both by a mirror and by itself.
    registry('registryMirrors: [m.example.com], insecureRegistries: [docker.io, m.example.com]'),
  ],
  'spec.registry.auths.*.plainHTTP': [registry('auths: {hub.example.com: {plainHTTP: true}}')],
  'spec.registry.auths.*.skipTLSVerify': [
    registry('auths: {hub.example.com: {skipTLSVerify: true}}'),
    registry('registryMirrors: [m.example.com], auths: {docker.io: {skipTLSVerify: true}}'),
  ],
  'spec.network.flannel.**': [network('backend: host-gw'), network('directRouting: true'), network('mtu: 1400')],
  'spec.dns.dnsEtcHosts': [dns('dnsEtcHosts: "192.0.2.1 a.example.com"')],
  'spec.dns.coredns.**': [
    dns('coredns: {additionalConfigs: log}'),
    dns('coredns: {rewriteBlock: "rewrite name a.example.com b.example.com"}'),
    dns('coredns: {upstreamDNSServers: [192.0.2.53]}'),
    dns('coredns: {externalZones: [{zones: [example.com], nameservers: [192.0.2.53]}]}'),
  ],
};

describe('what it acts on', () => {
  const fields = [containerd, flannel, coredns].flatMap((one) => one.fields).filter((field) => !field.includes('='));
  const hash = async (text: string) => renderJson(buildGraph(await creation(text))).hash;

  test.each(fields)('%s changes the plan', async (field) => {
    const said = SAID[field] ?? [];
    expect(said.length, `no case for ${field}`).toBeGreaterThan(0);
    const hashes = await Promise.all([creatable(), ...said].map(hash));
    expect(new Set(hashes).size).toBe(said.length + 1);
  });
});

describe('the question before the first change', () => {
  const CHECKS = 'preflight/check/findings';
  test.each<[string, Selection, readonly string[]]>([
    ['--tags node', { tags: ['node'], skipTags: [] }, ['question']],
    ['--skip-tags preflight', { tags: [], skipTags: ['preflight'] }, ['question']],
    ['--tags preflight', { tags: ['preflight'], skipTags: [] }, [CHECKS]],
    ['all', { tags: [], skipTags: [] }, [CHECKS, 'question']],
  ])('%s', async (_, selection, expected) => {
    const graph = await planned(creatable());
    const roles = rolesFor(graph, selection);
    const run = graph.nodes.flatMap(({ id }, i) => (roles[i] === 'run' ? [id] : []));
    const guards = run.filter((id) => id === CHECKS || id === 'preflight/confirm/confirm');
    expect(guards.map((id) => (id === CHECKS ? id : 'question'))).toEqual(expected);
    expect(leavesOutChecks(graph, selection)).toBe(!expected.includes(CHECKS));
  });

  test('no tag names it', async () => {
    const graph = await planned(creatable());
    expect(graph.nodes.find(({ id }) => id === 'preflight/confirm/confirm')?.tags).toEqual([]);
  });
});

/** What another run of `create cluster` can really apply to a cluster that exists. Everything else its modules call fixed. */
const APPLIED_AGAIN = [
  // A certificate that has to change is made again.
  'spec.pki.keyAlgorithm',
  'spec.pki.validity.**',
  // The virtual IP moves to it.
  'spec.controlPlaneEndpoint.interface',
  'spec.hosts[].name',
  'spec.extra.hosts',
  'spec.extra.resolves',
  'spec.system.ntpServers',
  'spec.system.timezone',
  'spec.system.rpms',
  'spec.system.debs',
  'spec.kubernetes.containerRuntime.version',
  'spec.kubernetes.containerRuntime.containerd.**',
  'spec.registry.registryMirrors.**',
  'spec.registry.insecureRegistries.**',
  'spec.registry.auths.*.plainHTTP',
  'spec.registry.auths.*.skipTLSVerify',
  'spec.network.flannel.**',
  'spec.dns.dnsEtcHosts',
  'spec.dns.coredns.**',
  'spec.dns.nodelocaldns.enabled',
];

test('every field that it acts on is fixed at the creation, or can be applied again', () => {
  const name = (field: string) => field.replace(/=.*$/, '');
  const fixed = createCluster.modules.flatMap((module) => module.fixed ?? []).map(name);
  const fields = createCluster.actsOn.filter((field) => !COMMON_FIELDS.includes(field)).map(name);
  expect(fields.filter((field) => !fixed.includes(field)).sort()).toEqual([...APPLIED_AGAIN].sort());
  expect(fixed.filter((field) => !fields.includes(field))).toEqual([]);
});

describe('what it refuses', () => {
  // An etcd of its own has hosts of its own.
  const ownEtcd = (text: string) =>
    text
      .replace('etcd: {type: kubeadm}', 'etcd: {type: kubexm}')
      .replace('    worker:', '    etcd: [cp1]\n    worker:');

  const refused = async (text: string): Promise<readonly string[]> => {
    const { cluster, source } = await loadConfig({ text, file: 'c.yaml' });
    const { name, actsOn } = createCluster;
    const found = [
      ...unsupportedFields(source, actsOn, name),
      ...unsupportedDefaults({ cluster: cluster!, source }, actsOn, name),
    ];
    return found.map(({ code, params: { field, value, only } }) => `${code} ${field}: ${value} → ${only}`).sort();
  };

  test('nothing of what it can do', async () => {
    expect(await refused(creatable())).toEqual([]);
    expect(await refused(creatable({ masters: 3 }))).toEqual([]);
    expect(await refused(creatable({ more: '  controlPlaneEndpoint: {externalLoadBalancer: none}\n' }))).toEqual([]);
    for (const inside of ['haproxy', 'nginx'])
      expect(await refused(balancedBy(`internalLoadbalancer: ${inside}`))).toEqual([]);
    for (const outside of ['kubexm-kh', 'kubexm-kn'])
      expect(
        await refused(balancedBy(`externalLoadBalancer: ${outside}, lb_address: 10.3.0.100, interface: eth1`)),
      ).toEqual([]);
  });

  test.each<[string, (text: string) => string]>([
    ['spec.network.plugin: calico → flannel', (text) => text.replace('plugin: flannel', 'plugin: calico')],
    ['spec.dns.nodelocaldns.enabled: true → false', (text) => text.replace('enabled: false', 'enabled: true')],
    [
      'spec.kubernetes.containerRuntime.type: docker → containerd',
      (text) => text.replace('kubernetes: {', 'kubernetes: {containerRuntime: docker, '),
    ],
  ])('%s', async (field, change) => {
    expect(await refused(change(creatable()))).toEqual([`KX4041 ${field}`]);
  });

  test('all of it at once; what the file does not say is something that it can do', async () => {
    const bare = ownEtcd(creatable())
      .replace('  etcd: {type: kubexm}\n', '')
      .replace(/ {2}network: .*\n/, '')
      .replace(/ {2}dns: .*\n/, '');
    expect(await refused(bare)).toEqual([]);
    const more = '  network: {plugin: cilium}\n  dns: {nodelocaldns: {enabled: true}}\n';
    expect(await refused(`${bare}${more}`)).toEqual([
      'KX4041 spec.dns.nodelocaldns.enabled: true → false',
      'KX4041 spec.network.plugin: cilium → flannel',
    ]);
  });
});
