import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { creatable } from '../../test/plans/create-cases.ts';
import { recordedFacts } from '../../test/support/plan-context.ts';
import { createCluster } from '../pipeline/cluster/create.ts';
import { planPipeline } from './plan-pipeline.ts';

const params = { skipPreflight: true };

/** A directory with a configuration, and what the last run read from the hosts. */
function world(text: string, hosts: readonly string[]) {
  const baseDir = mkdtempSync(join(tmpdir(), 'kubexm-plan-'));
  onTestFinished(() => rmSync(baseDir, { recursive: true }));
  const configFile = join(baseDir, 'cluster.yaml');
  writeFileSync(configFile, text);
  const run = join(baseDir, '.kubexm', 'demo', 'runs', '1');
  mkdirSync(run, { recursive: true });
  const machine = recordedFacts('debian-12', { arch: 'amd64' });
  const facts = Object.fromEntries(hosts.map((name, i) => [name, { ...machine, machineId: `${i}`.repeat(32) }]));
  writeFileSync(join(run, 'facts.json'), JSON.stringify(facts));
  return { baseDir, configFile, facts };
}

test('a pipeline is planned from the facts that the last run read, or from those given: the same plan', async () => {
  const { facts, ...at } = world(creatable(), ['cp1', 'node1', 'local']);
  const { graph, cluster, artifacts } = await planPipeline(createCluster, params, at);
  expect(cluster.metadata.name).toBe('demo');
  expect(artifacts?.needs.map(({ component }) => component)).toContain('containerd');
  expect((await planPipeline(createCluster, params, { ...at, facts })).graph.hash).toBe(graph.hash);
});

test('hosts that nobody has looked at are named', async () => {
  const { facts: _, ...at } = world(creatable(), ['cp1']);
  await expect(planPipeline(createCluster, params, at)).rejects.toMatchObject({
    code: 'KX4042',
    params: { hosts: 'node1, local' },
  });
});

test('what the pipeline cannot act on is refused by name', async () => {
  const { facts: _, ...at } = world(creatable({ more: '  storage: {nfs: {enabled: true}}\n' }), [
    'cp1',
    'node1',
    'local',
  ]);
  await expect(planPipeline(createCluster, params, at)).rejects.toMatchObject({ code: 'KX4025' });
});
