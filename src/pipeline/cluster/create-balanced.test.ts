import { describe, expect, test } from 'vitest';
import { balancedBy, creation } from '../../../test/plans/create-cases.ts';
import { allBefore, waitsFor } from '../../../test/plans/waits.ts';
import { LOCAL } from '../../model/host.ts';
import { buildGraph, type ExecutionGraph } from '../../plan/graph.ts';
import { renderJson } from '../../plan/render/json.ts';

const planned = async (text: string): Promise<ExecutionGraph> => buildGraph(await creation(text));

describe('load balancers', () => {
  const HAPROXY = balancedBy('internalLoadbalancer: haproxy');
  const KEEPALIVED = balancedBy('externalLoadBalancer: kubexm-kh, lb_address: 10.3.0.100, port: 8443');
  const KUBE_VIP = balancedBy('internalLoadbalancer: kube-vip, lb_address: 10.1.0.100');

  test('the proxy of a worker and its image are there before it joins', async () => {
    const before = allBefore(await planned(HAPROXY), 'kubernetes/join/join@node1');
    expect(before).toContain('load-balancer/internal/pod@node1');
    expect(before).toContain('artifacts/import-images/image-haproxy-amd64@node1');
  });

  test('proxies of workers keep nobody else waiting', async () => {
    expect(waitsFor(await planned(HAPROXY), 'kubernetes/init/init@cp1')).toEqual(['cp1']);
    expect(waitsFor(await planned(HAPROXY), 'kubernetes/join/join-cp2@cp2')).toEqual(['cp1', 'cp2']);
  });

  test('a master that is a worker too has no proxy', async () => {
    const text = HAPROXY.replace('worker: [node1]', 'worker: [node1, cp3]');
    const { nodes } = await creation(text, { skipPreflight: true });
    const proxies = [...nodes.values()].filter(({ id }) => /^load-balancer|image-haproxy/.test(id));
    expect(proxies.flatMap(({ hosts }) => hosts.names).filter((name) => name !== LOCAL)).toContain('node1');
    expect(proxies.flatMap(({ hosts }) => hosts.names)).not.toContain('cp3');
  });

  test('masters that all are workers need no proxy at all', async () => {
    const text = balancedBy('internalLoadbalancer: haproxy', 0).replace('    master:', "    worker: ['cp[1:3]']\n$&");
    const { nodes } = await creation(text, { skipPreflight: true });
    expect([...nodes.values()].filter(({ id }) => id.startsWith('load-balancer'))).toEqual([]);
  });

  test('the cluster begins behind the load balancers, which have packages of their own', async () => {
    const graph = await planned(KEEPALIVED);
    const before = allBefore(graph, 'kubernetes/init/init@cp1');
    for (const host of ['lb1', 'lb2']) expect(before).toContain(`load-balancer/external/keepalived@${host}`);
    expect(allBefore(graph, 'load-balancer/external/service@lb1')).toContain('node/packages/packages@lb1');
    expect(waitsFor(graph, 'load-balancer/external/keepalived@lb1')).toEqual(['lb1']);
    const json = JSON.stringify(renderJson(graph));
    expect(json.match(/"keepalived","nftables"/g)).not.toBeNull();
  });

  test('kube-vip is there before each master begins or joins; then all have the usual kubeconfig', async () => {
    const graph = await planned(KUBE_VIP);
    expect(allBefore(graph, 'kubernetes/init/init@cp1')).toContain('load-balancer/kube-vip/pod-first@cp1');
    expect(allBefore(graph, 'kubernetes/join/join-cp2@cp2')).toContain('load-balancer/kube-vip/pod@cp2');
    expect(allBefore(graph, 'kubernetes/join/join-cp2@cp2')).toContain('load-balancer/kube-vip-admin/pod@cp1');
    expect(allBefore(graph, 'load-balancer/kube-vip-admin/pod@cp1')).toContain('kubernetes/init/init@cp1');
  });
});
