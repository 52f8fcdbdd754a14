import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { BUILD, type ClusterLab, clusterLab, MINUTE } from './cluster-lab.ts';
import { describeLab } from './fixture.ts';

/** Steps of events, one a line or all in a list, that ended so. */
function endedAs(outcome: string, events: string): readonly string[] {
  const all = events.startsWith('[')
    ? JSON.parse(events)
    : events
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
  const ended = (all as readonly RunEvent[]).filter((event) => event.type === 'node-finished');
  return ended.flatMap((event) => (event.outcome === outcome ? [event.node] : [])).sort();
}

describeLab('a cluster of one control plane and one worker', () => {
  let cluster: ClusterLab;
  beforeAll(async () => {
    cluster = await clusterLab(2);
  }, BUILD);
  afterAll(() => cluster?.close(), 2 * MINUTE);

  test('comes up, stays as it is, and goes without a trace', { timeout: 20 * MINUTE }, async () => {
    const { lab, kubexm, well, kubectl } = cluster;
    const predicted = endedAs('would-change', (await well(['create', 'cluster', '--dry-run', '-o', 'json'])).stdout);

    // A plan is for machines as they were when it was made.
    await well(['plan', 'cluster', '--out', 'plan.json']);
    await lab.exec(2, 'install -m 755 /bin/true /usr/local/bin/kubelet');
    const refused = await kubexm(['apply', 'plan.json']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('KX4038')]);
    await lab.exec(2, 'rm /usr/local/bin/kubelet');
    expect(await cluster.traces()).toEqual({});

    const created = await well(['apply', 'plan.json']);
    const events = await well(['get', 'events', '--run', 'last', '--type', 'node-finished', '-o', 'json']);
    expect(endedAs('changed', events.stdout)).toEqual(predicted);
    expect(await cluster.states()).toEqual(['Ready', 'Ready']);
    expect(created.stderr).toContain(`The cluster ${lab.name} is well. Nodes that are ready: 2 of 2`);
    for (const [part, ready] of [
      ['kube-apiserver', '1/1'],
      ['etcd', '1/1'],
      ['kube-proxy', '2/2'],
      ['flannel', '2/2'],
    ])
      expect(created.stderr).toMatch(new RegExp(`${part} +${ready} +ok`));
    expect(created.stderr).toContain(`export KUBECONFIG=${join(cluster.dir, '.kubexm', lab.name, 'kubeconfig')}`);

    // kubectl works for root without a word, and leaves its cache.
    expect(await lab.exec(1, 'HOME=/root kubectl get nodes -o name')).toContain(`node/${lab.name}-2`);

    // What is taken away comes back, and only that: an image, an object, a setting of a node.
    await lab.exec(2, 'ctr -n k8s.io images rm registry.k8s.io/pause:3.10.1');
    await kubectl(`-n kube-flannel patch configmap kube-flannel-cfg -p '{"data":{"net-conf.json":"{}"}}'`);
    await kubectl(`label node ${lab.name}-2 node-role.kubernetes.io/worker-`);
    const drift = await kubexm(['create', 'cluster', '--dry-run']);
    const changed = drift.stdout.split('\n').filter((line) => /^\S+\/.* on /.test(line));
    expect(changed.sort()).toEqual([
      `artifacts/import-images/image-pause-amd64  on ${lab.name}-2`,
      `cluster/labels/labels  on ${lab.name}-1`,
      `network/flannel/manifest  on ${lab.name}-1`,
    ]);
    const KUBECONFIG = join(cluster.dir, 'mine');
    const repaired = await well(['create', 'cluster', '--merge-kubeconfig'], { with: { KUBECONFIG } });
    expect(readFileSync(KUBECONFIG, 'utf8')).toContain(`current-context: ${lab.name}`);
    expect(repaired.stderr).toContain('3 changed');

    await well(['create', 'cluster', '--detailed-exitcode']);
    const still = await well(['create', 'cluster', '--dry-run', '--detailed-exitcode']);
    expect(still.stdout).toBe('Nothing would change.\n');

    await well(['delete', 'cluster']);
    expect(existsSync(KUBECONFIG)).toBe(false);
    expect(existsSync(join(cluster.dir, '.kubexm', lab.name, 'kubeconfig'))).toBe(false);
    expect(await cluster.traces()).toEqual({});
  });
});
