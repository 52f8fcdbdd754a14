import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { configFor, planContextFor } from '../../test/support/plan-context.ts';
import type { RunEvent } from '../model/event.ts';
import type { HostManifest } from '../model/manifest.ts';
import { fanOut, openEventReader, openEventStore, Redactor } from '../observe/index.ts';
import { resetNodes } from '../pipeline/node/reset.ts';
import { buildGraph } from '../plan/graph.ts';
import { describeCluster } from '../runtime/cluster-description.ts';
import { clusterLife } from './cluster-status.ts';
import { markedEnds, oldMark } from './old-records.ts';
import { runMarks } from './run-marks.ts';
import { standingCluster } from './standing-cluster.ts';
import { workDirOf } from './work-dir.ts';

const FOLDER = fileURLToPath(new URL('../../test/support/old-records/', import.meta.url));
const CREATED = '20261116-162942-5395f8708';
const RESET = '20261116-162946-406a217ee';

/** A work directory as an old version has left it. */
async function oldWorkDir() {
  const baseDir = mkdtempSync(join(tmpdir(), 'kubexm-old-'));
  onTestFinished(() => rmSync(baseDir, { recursive: true, force: true }));
  const workDir = workDirOf(baseDir, 'demo');
  mkdirSync(workDir.cluster, { recursive: true });
  cpSync(FOLDER, workDir.cluster, { recursive: true });
  const sink = fanOut(new Redactor(), [openEventStore(workDir.events)]);
  for (const line of readFileSync(join(FOLDER, 'events.jsonl'), 'utf8').trim().split('\n'))
    sink(JSON.parse(line) as RunEvent);
  await sink.close();
  const reader = openEventReader(workDir.events);
  onTestFinished(() => reader.close());
  return { baseDir, workDir, reader };
}

test('its journals tell what its runs did', async () => {
  const { workDir } = await oldWorkDir();
  expect(runMarks(workDir.runs, CREATED)).toMatchObject({ changed: true, begun: true, undone: [], ended: 'succeeded' });
  expect(runMarks(workDir.runs, RESET)).toMatchObject({ begun: false, undone: ['host2'] });
  const standing = standingCluster(workDir);
  expect(standing).toMatchObject({ run: CREATED, config: { metadata: { name: 'demo' } } });
  expect([...(standing?.hosts ?? [])]).toEqual(['host1']);
});

test('its events tell how the cluster is', async () => {
  const { baseDir, workDir, reader } = await oldWorkDir();
  expect(clusterLife(reader, workDir)).toMatchObject({ status: 'ready', created: { id: CREATED } });
  expect(markedEnds(reader, CREATED, 'cluster-begun')).toMatchObject([{ host: 'host1', outcome: 'changed' }]);
  const configFile = join(baseDir, 'cluster.yaml');
  writeFileSync(configFile, configFor({}));
  const { conditions } = await describeCluster({ configFile, baseDir });
  const status = (name: string) => conditions.find(({ type }) => type === name)?.status;
  expect([status('Created'), status('NetworkReady'), status('DnsReady')]).toEqual(['True', 'True', 'Unknown']);
});

test('its manifests are undone, by a plan that a run of its own can be resumed with', async () => {
  const manifests = JSON.parse(readFileSync(join(FOLDER, 'manifests.json'), 'utf8')) as Record<string, HostManifest>;
  const text = configFor().replaceAll('cp1', 'host1').replaceAll('node1', 'host2');
  const context = await planContextFor(text, { manifests });
  const graph = buildGraph(resetNodes.plan(context, { nodes: ['host2'] }));
  const { planHash } = JSON.parse(readFileSync(join(FOLDER, 'runs', RESET, 'journal.jsonl'), 'utf8').split('\n')[0]!);
  expect(graph.hash).toBe(planHash);
  const removed = graph.nodes.flatMap(({ id, mark }) => (mark === 'node-removed' ? [id] : []));
  expect(removed).toEqual(['reset/undo/000002-kubernetes-join-join-host2']);
});

test.each([
  ['kubernetes/init/init@cp1', 'cluster-begun'],
  ['kubernetes/init/init', 'cluster-begun'],
  ['kubernetes/init/init-config@cp1', undefined],
  ['kubernetes/join/join@node1', 'node-joined'],
  ['preflight/check/listen@cp1', 'leaves-nothing'],
])('the mark of %s: %s', (node, mark) => {
  expect(oldMark(node)).toBe(mark);
});
