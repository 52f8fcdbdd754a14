import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { takeBaseline } from '../../src/lab/diff/index.ts';
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
    for (const machine of (await lab.look()).machines) await takeBaseline(machine, { env: lab.env });
  }, BUILD);
  afterAll(async () => {
    await lab?.close();
    rmSync(dir, { recursive: true, force: true });
  }, 2 * MINUTE);

  test('comes up, stays as it is, and goes without a trace', { timeout: 15 * MINUTE }, async () => {
    const created = await kubexm('create', 'cluster');
    expect(created.code, created.stderr).toBe(0);
    const nodes = await kubectl('get nodes --no-headers');
    expect(nodes.trim().split('\n').map((line) => line.split(/\s+/)[1])).toEqual(['Ready', 'Ready']);

    const again = await kubexm('create', 'cluster', '--detailed-exitcode');
    expect(again.code, again.stderr).toBe(0);
    const dry = await kubexm('create', 'cluster', '--dry-run', '--detailed-exitcode');
    expect(dry.code, dry.stdout).toBe(0);

    const deleted = await kubexm('delete', 'cluster');
    expect(deleted.code, deleted.stderr).toBe(0);
    for (const machine of (await lab.look()).machines) {
      expect(await changesOn(machine, { env: lab.env }), machine.name).toEqual([]);
    }
  });
});
