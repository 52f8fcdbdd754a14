import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUILD, type ClusterLab, clusterLab, MINUTE } from './cluster-lab.ts';
import { describeLab } from './fixture.ts';

describeLab('a cluster of one control plane and one worker', () => {
  let cluster: ClusterLab;
  beforeAll(async () => {
    cluster = await clusterLab(2);
  }, BUILD);
  afterAll(() => cluster?.close(), 2 * MINUTE);

  test('comes up, stays as it is, and goes without a trace', { timeout: 20 * MINUTE }, async () => {
    const { lab, kubexm, well, kubectl } = cluster;
    await well(['create', 'cluster']);
    expect(await cluster.states()).toEqual(['Ready', 'Ready']);

    // What is taken away comes back, and only that: an image, an object, a setting of a node.
    await lab.exec(2, 'ctr -n k8s.io images rm registry.k8s.io/pause:3.10.1');
    await kubectl(`-n kube-flannel patch configmap kube-flannel-cfg -p '{"data":{"net-conf.json":"{}"}}'`);
    await kubectl(`label node ${lab.name}-2 node-role.kubernetes.io/worker-`);
    const drift = await kubexm(['create', 'cluster', '--dry-run']);
    const changed = drift.stdout
      .split('\n')
      .filter((line) => /^\S+\/.* on /.test(line) && !line.startsWith('preflight/'));
    expect(changed.sort()).toEqual([
      `artifacts/import-images/image-pause-amd64  on ${lab.name}-2`,
      `cluster/finish/labels  on ${lab.name}-1`,
      `network/flannel/manifest  on ${lab.name}-1`,
    ]);
    const mended = await well(['create', 'cluster']);
    expect(mended.stderr).toContain('3 changed');

    await well(['create', 'cluster', '--detailed-exitcode']);
    await well(['create', 'cluster', '--dry-run', '--detailed-exitcode']);

    await well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });
});
