import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configFor, planContextFor } from '../../test/support/plan-context.ts';
import type { ArtifactLock } from '../model/artifact-lock.ts';
import { KubexmError } from '../model/errors/index.ts';
import type { Facts } from '../model/facts.ts';
import { nodeModule } from '../module/node.ts';
import { buildGraph } from '../plan/graph.ts';
import type { PlannedRun } from './run-pipeline.ts';
import { exactly, readSavedPlan, savedPlanOf } from './saved-plan.ts';

const origin = { pipeline: 'x', params: null, configFile: '/c.yaml', baseDir: '/', overrides: [] };

async function planned(config: string, facts: Partial<Facts> = {}, lock: ArtifactLock = {}): Promise<PlannedRun> {
  const context = await planContextFor(config, { facts: () => facts });
  const graph = buildGraph(nodeModule.plan(context));
  const read = Object.fromEntries(context.hosts.map((host) => [host.name, host.facts]));
  const artifacts = { needs: [], lock, sources: [], cacheDir: '/' };
  const { cluster } = context;
  return { graph, cluster, facts: read, artifacts, weightOf: ({ weight }) => weight, redact: (value) => value };
}

const refusal = (saved: PlannedRun, now: PlannedRun): KubexmError | undefined => {
  try {
    exactly(savedPlanOf(origin, saved), 'plan.json').onPlanned(now);
    return undefined;
  } catch (error) {
    if (error instanceof KubexmError) return error;
    throw error;
  }
};

test('holds as long as the plan is the same, whatever else has changed', async () => {
  const before = await planned(configFor());
  expect(refusal(before, await planned(configFor()))).toBeUndefined();
  expect(refusal(before, await planned(configFor(), { timeOffsetMs: 9, timezone: 'Asia/Shanghai' }))).toBeUndefined();
});

test('another configuration is refused with its fields, another host with its facts and the plan', async () => {
  const before = await planned(configFor());
  const other = refusal(before, await planned(configFor({ version: 'v1.33.2' })));
  expect(other?.code).toBe('KX4034');
  expect(other?.detail).toContain('spec.kubernetes.version: v1.34.2 → v1.33.2');
  const moved = refusal(before, await planned(configFor(), { selinux: 'enforcing' }));
  expect(moved?.code).toBe('KX4038');
  expect(moved?.detail).toContain('cp1.selinux: absent → enforcing');
  expect(moved?.detail).toContain('node/tune/');
});

test('a lock that moved is named first; a plan that nobody can explain is another kubexm’s', async () => {
  const before = await planned(configFor());
  const entry = { sha256: 'a', size: 1, source: 'upstream' };
  const after = await planned(configFor(), { selinux: 'enforcing' }, { 'etcd/x': entry });
  expect(refusal(before, after)).toMatchObject({ code: 'KX4037', detail: expect.stringContaining('etcd/x') });
  const graph = { ...before.graph, hash: 'other' };
  expect(refusal(before, { ...before, graph })?.code).toBe('KX4039');
});

test('is read back as it was written; what is none is refused', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-plan-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'plan.json');
  const saved = savedPlanOf(origin, await planned(configFor()));
  writeFileSync(file, JSON.stringify(saved));
  expect(readSavedPlan(file)).toEqual(JSON.parse(JSON.stringify(saved)));
  for (const text of [
    '',
    '[]',
    'null',
    '{}',
    JSON.stringify({ ...saved, facts: 1 }),
    JSON.stringify({ ...saved, plan: {} }),
  ]) {
    writeFileSync(file, text);
    expect(() => readSavedPlan(file)).toThrow(expect.objectContaining({ code: 'KX4033' }));
  }
  expect(() => readSavedPlan(join(dir, 'none'))).toThrow(expect.objectContaining({ code: 'KX4033' }));
});
