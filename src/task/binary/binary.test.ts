import { describe, expect, test } from 'vitest';
import {
  balancedBy,
  contextWithArtifacts,
  creatable,
  creation,
  fromPrograms,
} from '../../../test/plans/create-cases.ts';
import { kubernetes, SAID } from '../../../test/plans/kubernetes-fields.ts';
import { allBefore, waitsFor } from '../../../test/plans/waits.ts';
import { binaryKubernetes, kubeadm } from '../../component/kubernetes.ts';
import { buildGraph, type ExecutionGraph } from '../../plan/graph.ts';
import { barriers, hiddenBarriers } from '../../plan/render/barriers.ts';
import { renderJson } from '../../plan/render/json.ts';
import { serviceAddresses } from './pki.ts';

const graphs = new Map<string, Promise<ExecutionGraph>>();
function planned(text: string): Promise<ExecutionGraph> {
  const graph = graphs.get(text) ?? creation(text, { skipPreflight: true }).then(buildGraph);
  graphs.set(text, graph);
  return graph;
}

const THREE = fromPrograms(creatable({ masters: 3, workers: 2 }));
const wantOf = async (text: string, id: string) =>
  JSON.stringify(renderJson(await planned(text)).nodes.find((node) => node.id === id));

describe('both kinds read the same configuration', () => {
  test('every field that kubeadm acts on', () => {
    const isOwn = (field: string) => !field.includes('=');
    expect(kubeadm.fields.filter(isOwn).filter((field) => !binaryKubernetes.fields.includes(field))).toEqual([]);
  });

  test.each(binaryKubernetes.fields.filter((field) => !field.includes('=')))('%s changes the plan', async (field) => {
    const said = SAID[field];
    expect(said, `no case for ${field}`).toBeDefined();
    const [before, after] = typeof said === 'string' ? [creatable(), said] : (said as readonly [string, string]);
    const binary = (text: string) => (text.includes('type: kubexm, ') ? text : fromPrograms(text));
    const hash = async (text: string) => renderJson(await planned(binary(text))).hash;
    expect(await hash(after)).not.toBe(await hash(before));
  });
});

describe('who waits for whom', () => {
  test.each([
    ['kubernetes/begin/kube-apiserver@cp1', ['cp1', 'cp2', 'cp3']],
    ['kubernetes/nodes/pre-join@node1', ['cp1', 'cp2', 'cp3', 'node1']],
    ['kubernetes/nodes/kubelet@node2', ['cp1', 'cp2', 'cp3', 'node2']],
  ])('%s for %j', async (id, hosts) => {
    // The masters are the members of etcd, of which most have to serve.
    expect(waitsFor(await planned(THREE), id)).toEqual(hosts);
  });

  test('certificates wait for no host, and no host for another’s', async () => {
    const graph = await planned(THREE);
    const before = allBefore(graph, 'kubernetes/certificates/server-apiserver-cp1@local');
    expect([...before].filter((id) => !id.endsWith('@local'))).toEqual([]);
    expect(hiddenBarriers(graph).filter((id) => !id.startsWith('artifacts/get/'))).toEqual([]);
    expect(barriers(graph).map(({ id }) => id)).toEqual(['etcd/install/looked', 'joined', 'etcd-ready']);
  });

  test('the programs start in their order, behind the check of a node that joins', async () => {
    const graph = await planned(THREE);
    const order = [
      'nodes/pre-join',
      'nodes/kube-apiserver',
      'nodes/api-ready',
      'nodes/kube-controller-manager',
      'nodes/kube-scheduler',
      'nodes/register',
      'nodes/kubelet',
      'nodes/kube-proxy',
      'nodes/proxy-healthy',
    ].map((id) => `kubernetes/${id}@cp2`);
    order.slice(1).forEach((id, i) => {
      expect(allBefore(graph, id)).toContain(order[i]);
    });
    expect(allBefore(graph, 'kubernetes/nodes/pre-join@cp2')).toContain('kubernetes/begin/access@cp1');
  });
});

test('a master asks its own API server, a worker the control plane', async () => {
  expect(await wantOf(THREE, 'kubernetes/certificates/kubeconfig-kubelet-cp2')).toContain('https://10.1.0.2:6443');
  expect(await wantOf(THREE, 'kubernetes/certificates/kubeconfig-kubelet-node1')).toContain(
    'https://lb.kubexm.local:6443',
  );
});

test('an API server has its own names, those of the control plane, and the first address of Services', async () => {
  const want = await wantOf(THREE, 'kubernetes/certificates/server-apiserver-cp2');
  for (const name of [
    'kubernetes.default.svc.cluster.local',
    'lb.kubexm.local',
    'cp2',
    '10.1.0.2',
    '10.233.0.1',
    '::1',
  ])
    expect(want).toContain(`"${name}"`);
  expect(want).not.toContain('"cp1"');
});

test('the key of the CA is on masters alone', async () => {
  const graph = renderJson(await planned(THREE));
  const placed = graph.nodes.find(({ id }) => id === 'kubernetes/services/pki');
  const wants = Object.entries((placed as unknown as { wants: Record<string, unknown> }).wants ?? {});
  const text = JSON.stringify(placed);
  expect(text.match(/"ca\.key"/g)).toHaveLength(3);
  expect(wants.length === 0 || wants.length === 5).toBe(true);
});

test('no certificate request of a new node is approved but by itself: there are no tokens to join by', async () => {
  const ids = (await planned(THREE)).nodes.map(({ id }) => id);
  expect(ids.filter((id) => /token|cluster\/close/.test(id))).toEqual([]);
  expect(await wantOf(THREE, 'kubernetes/begin/access')).not.toContain('bootstrap');
});

test('masters are labelled by the cluster, and by the old name too where the file says so', async () => {
  const asked = THREE.replace('{name: cp1, ', "{name: cp1, labels: {node-role.kubernetes.io/master: ''}, ");
  const labels = await wantOf(asked, 'cluster/labels/labels');
  expect(labels.match(/node-role\.kubernetes\.io\/control-plane/g)).toHaveLength(3);
  expect(labels.match(/node-role\.kubernetes\.io\/master/g)).toHaveLength(1);
});

test('the proxy of a worker is a static pod, with kubeadm and without', async () => {
  const graph = await planned(fromPrograms(balancedBy('internalLoadbalancer: haproxy')));
  expect(graph.nodes.map(({ id }) => id)).toContain('artifacts/import-images/image-haproxy-amd64');
});

test.each([
  ['', '127.0.0.1:10256'],
  ["kubeProxyConfiguration: {healthzBindAddress: '[::]:9999'}", '[::1]:9999'],
])('kube-proxy is asked where it answers: %s', async (fields, address) => {
  const text = fields === '' ? creatable() : kubernetes(fields);
  expect(await wantOf(fromPrograms(text), 'kubernetes/nodes/proxy-healthy')).toContain(`http://${address}`);
});

test('addresses of Services, one per family', async () => {
  const { cluster } = await contextWithArtifacts(fromPrograms(creatable()));
  expect(serviceAddresses(cluster, 10n)).toEqual(['10.233.0.10']);
});

test('kube-vip is waited for when the kubelet that runs it has started', async () => {
  const graph = await planned(fromPrograms(balancedBy('internalLoadbalancer: kube-vip, lb_address: 10.1.0.100')));
  expect(allBefore(graph, 'load-balancer/kube-vip-admin/settled@cp1')).toContain('kubernetes/nodes/kubelet@cp1');
  expect(allBefore(graph, 'network/flannel/manifest@cp1')).toContain('load-balancer/kube-vip-admin/settled@cp1');
});
