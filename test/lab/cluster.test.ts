import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { cli, type Ended } from '../cli/rig/cli.ts';
import { changesOn } from './changes.ts';
import { describeLab, type TestLab, withLab } from './fixture.ts';

const MINUTE = 60_000;
/** Kubernetes itself is built from source where nothing but package registries is reachable: once, then it is in the cache. */
const BUILD = 40 * MINUTE;

describeLab('a cluster of one control plane and one worker', () => {
  let lab: TestLab;
  let dir: string;
  let env: NodeJS.ProcessEnv;
  const kubexm = (...args: string[]): Promise<Ended> => cli([...args, '-f', 'c.yaml', '--yes'], { cwd: dir, env });
  const kubectl = (words: string) => lab.exec(1, `kubectl --kubeconfig /etc/kubernetes/admin.conf ${words}`);

  beforeAll(async () => {
    lab = await withLab(2);
    dir = mkdtempSync(join(tmpdir(), 'kubexm-lab-cluster-'));
    writeFileSync(join(dir, 'c.yaml'), labConfig(await lab.look()));
    env = { ...lab.env, KUBEXM_SOURCES: process.env['KUBEXM_SOURCES'] ?? 'go' };
    const { code, stderr } = await kubexm('download', 'artifacts');
    expect(code, stderr).toBe(0);
  }, BUILD);
  afterAll(async () => {
    await lab?.close();
    rmSync(dir, { recursive: true, force: true });
  }, 2 * MINUTE);

  test('comes up, stays as it is, and goes without a trace', { timeout: 15 * MINUTE }, async () => {
    const created = await kubexm('create', 'cluster');
    expect(created.code, created.stderr).toBe(0);
    const nodes = await kubectl('get nodes --no-headers');
    expect(
      nodes
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)[1]),
    ).toEqual(['Ready', 'Ready']);

    // What is taken away comes back, and only that: an image, an object, a setting of a node.
    await lab.exec(2, 'ctr -n k8s.io images rm registry.k8s.io/pause:3.10.1');
    await kubectl(`-n kube-flannel patch configmap kube-flannel-cfg -p '{"data":{"net-conf.json":"{}"}}'`);
    await kubectl(`label node ${lab.name}-2 node-role.kubernetes.io/worker-`);
    const drift = await kubexm('create', 'cluster', '--dry-run');
    const changed = drift.stdout
      .split('\n')
      .filter((line) => /^\S+\/.* on /.test(line) && !line.startsWith('preflight/'));
    expect(changed).toEqual([
      `artifacts/import-images/image-pause-amd64  on ${lab.name}-2`,
      `network/flannel/manifest  on ${lab.name}-1`,
      `cluster/finish/labels  on ${lab.name}-1`,
    ]);
    const mended = await kubexm('create', 'cluster');
    expect(mended.code, mended.stderr).toBe(0);
    expect(mended.stderr).toContain('3 changed');

    const again = await kubexm('create', 'cluster', '--detailed-exitcode');
    expect(again.code, again.stderr).toBe(0);
    const dry = await kubexm('create', 'cluster', '--dry-run', '--detailed-exitcode');
    expect(dry.code, dry.stdout).toBe(0);

    const deleted = await kubexm('delete', 'cluster');
    expect(deleted.code, deleted.stderr).toBe(0);
    for (const machine of (await lab.look()).machines) {
      expect(await changesOn(machine.name, { env: lab.env }), machine.name).toEqual([]);
    }
  });
});
