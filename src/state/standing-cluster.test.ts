import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { creatable, creation } from '../../test/plans/create-cases.ts';
import { begun, keepRun, noteHosts, type PastRun } from '../../test/support/past-runs.ts';
import { loadConfig } from '../config/index.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { KubexmError } from '../model/errors/index.ts';
import type { Mark } from '../model/mark.ts';
import { createCluster } from '../pipeline/cluster/create.ts';
import { deleteCluster } from '../pipeline/cluster/delete.ts';
import { runTask } from '../pipeline/cluster/run-task.ts';
import { buildGraph } from '../plan/graph.ts';
import type { Pipeline } from '../plan/layers.ts';
import { openConfig } from './open-config.ts';
import { refuseFixedChanges } from './standing-cluster.ts';
import { makeWorkDir } from './work-dir.ts';

const BASE = creatable({ masters: 2, workers: 2 })
  .replace("'cp[1:2]'", 'cp1, cp2')
  .replace("'node[1:2]'", 'node1, node2');
const HOSTS = ['cp1', 'cp2', 'node1', 'node2'];

async function configOf(text: string): Promise<Cluster> {
  return (await loadConfig({ text, file: 'c.yaml' })).cluster!;
}

/** What is said about a file where runs have been, by the lines of the error; none where it may run. */
async function refused(
  text: string,
  runs: readonly PastRun[] = [{}],
  { hosts = HOSTS, pipeline = createCluster as Pipeline<never>, applied = BASE } = {},
): Promise<readonly string[]> {
  const baseDir = mkdtempSync(join(tmpdir(), 'kubexm-standing-'));
  onTestFinished(() => rmSync(baseDir, { recursive: true, force: true }));
  const workDir = makeWorkDir(baseDir, 'demo');
  const config = await configOf(applied);
  for (const [i, run] of runs.entries()) keepRun(workDir, `20260101-00000${i}-aaaaaa`, { config, ...run });
  noteHosts(workDir, hosts);
  const file = join(baseDir, 'c.yaml');
  writeFileSync(file, text);
  const opened = await openConfig(file, { name: 'x', actsOn: ['**'] }, { env: {}, ask: undefined });
  try {
    refuseFixedChanges(pipeline, opened, workDir);
    return [];
  } catch (error) {
    if (!(error instanceof KubexmError) || error.code !== 'KX4040') throw error;
    return error.detail?.split('\n') ?? [];
  }
}

const edit = (...edits: readonly (readonly [from: string, to: string])[]): string =>
  edits.reduce((text, [from, to]) => {
    const next = text.replace(from, to);
    expect(next, `nothing to replace: ${from}`).not.toBe(text);
    return next;
  }, BASE);
const kubernetes = (more: string) => edit(['kubernetes: {', `kubernetes: {${more}, `]);
const version = edit(['v1.34.2', 'v1.34.3']);

describe('what a cluster that exists cannot be given by create cluster', () => {
  test.each<[string, string, readonly string[]]>([
    ['another version', version, ['spec.kubernetes.version: v1.34.2 → v1.34.3']],
    ['limits of nodes', kubernetes('maxPods: 50'), ['spec.kubernetes.maxPods: 110 → 50']],
    [
      'flags of components, each by itself',
      kubernetes('apiserverArgs: ["--v=4"], kubeletArgs: ["--v=2"]'),
      ['spec.kubernetes.kubeletArgs: [] → ["--v=2"]', 'spec.kubernetes.apiserverArgs: [] → ["--v=4"]'],
    ],
    [
      'free content',
      kubernetes('kubeletConfiguration: {serializeImagePulls: false}'),
      ['spec.kubernetes.kubeletConfiguration.serializeImagePulls: – → false'],
    ],
    [
      'other networks',
      edit(['plugin: flannel', 'plugin: flannel, kubePodsCIDR: 10.200.0.0/16']),
      ['spec.network.kubePodsCIDR: 10.233.64.0/18 → 10.200.0.0/16'],
    ],
    ['another network', edit(['plugin: flannel', 'plugin: calico']), ['spec.network.plugin: flannel → calico']],
    [
      'another way to the control plane, by the name in the file',
      edit(['lb_address: 192.0.2.9', 'lb_address: 192.0.2.10']),
      ['spec.controlPlaneEndpoint.lb_address: 192.0.2.9 → 192.0.2.10'],
    ],
    [
      'another address of a host',
      edit(['address: 10.1.0.2}', 'address: 10.1.0.2, internalAddress: 10.9.0.2}']),
      ['spec.hosts.cp2.internalAddress: 10.1.0.2 → 10.9.0.2'],
    ],
    [
      'another name of a host',
      edit(['name: node2', 'name: node9'], ['worker: [node1, node2]', 'worker: [node1, node9]']),
      ['spec.hosts.node2.name: node2 → node9'],
    ],
    [
      'another first master',
      edit(['master: [cp1, cp2]', 'master: [cp2, cp1]']),
      ['spec.roleGroups.master: cp1, cp2 → cp2, cp1'],
    ],
    [
      'another role of a node',
      edit(['master: [cp1, cp2]', 'master: [cp1, cp2, node1]'], ['worker: [node1, node2]', 'worker: [node2]']),
      ['spec.roleGroups.master: cp1, cp2 → cp1, cp2, node1', 'spec.roleGroups.worker: node1, node2 → node2'],
    ],
  ])('%s', async (_, text, lines) => {
    expect(await refused(text)).toEqual(lines);
  });
});

describe('what it can be given', () => {
  test.each([
    ['the same', BASE],
    ['the same in other words', edit(['v1.34.2', '1.34.2'])],
    [
      'preparation of nodes',
      `${BASE}  system: {timezone: Asia/Shanghai}\n  extra: {hosts: "192.0.2.1 a.example.com"}\n`,
    ],
    ['settings of the runtime', `${BASE}  registry: {registryMirrors: [mirror.example.com]}\n`],
    ['options of flannel', edit(['plugin: flannel', 'plugin: flannel, flannel: {mtu: 1400}'])],
    ['options of DNS', edit(['dns: {', 'dns: {dnsEtcHosts: "192.0.2.1 a.example.com", '])],
    ['labels', edit(['address: 10.2.0.1}', 'address: 10.2.0.1, labels: {zone: a}}'])],
    ['another way to log in', edit(['address: 10.2.0.1}', 'address: 10.2.0.1, port: 2222}'])],
    ['a worker more', creatable({ masters: 2, workers: 3 })],
    ['a master more', creatable({ masters: 3, workers: 2 })],
  ])('%s', async (_, text) => {
    expect(await refused(text)).toEqual([]);
  });

  test('without a node, be it reset or gone for ever', async () => {
    const smaller = creatable({ masters: 2, workers: 1 });
    expect(await refused(smaller)).toEqual([]);
    expect(await refused(smaller, [{}], { hosts: ['cp1', 'cp2', 'node1'] })).toEqual([]);
  });

  test('another machine under the name of a node that was reset', async () => {
    const moved = BASE.replace('10.2.0.2', '10.2.0.77');
    expect(await refused(moved)).toContainEqual(expect.stringContaining('10.2.0.2 → 10.2.0.77'));
    expect(await refused(moved, [{}], { hosts: ['cp1', 'cp2', 'node1'] })).toEqual([]);
  });
});

describe('whether there is a cluster', () => {
  const { node } = begun('cp1')[0]!;
  const mark = 'cluster-begun';
  const line = 'spec.kubernetes.version: v1.34.2 → v1.34.3';
  // The first master would begin another cluster beside the one of which only the second is left.
  const begins = 'spec.roleGroups.master: cp2 → cp1, cp2';
  test.each<[string, readonly PastRun[], boolean]>([
    ['nothing has run', [], false],
    [
      'it failed before it began',
      [{ records: [{ node: 'node/names/hosts@cp1', phase: 'done' }], ended: 'failed' }],
      false,
    ],
    ['it failed when it began', [{ records: [...begun('cp1'), { node, phase: 'reverted' }], ended: 'failed' }], false],
    ['it failed after it had begun', [{ ended: 'failed' }], true],
    ['kubexm died while it began', [{ records: begun('cp1').slice(0, 1) }], true],
    [
      'its first master could not be reached',
      [{ records: [{ node, phase: 'unknown', mark }], ended: 'partial' }],
      false,
    ],
    ['it was found as it is', [{ records: [{ node, phase: 'satisfied', mark }], ended: 'succeeded' }], true],
    ['only a part of it was run', [{ tags: ['kubernetes'], ended: 'succeeded' }], true],
    [
      'it was deleted',
      [{ ended: 'succeeded' }, { pipeline: 'delete cluster', records: [], ended: 'succeeded' }],
      false,
    ],
    [
      'its deletion failed',
      [{ ended: 'succeeded' }, { pipeline: 'delete cluster', records: [], ended: 'partial' }],
      true,
    ],
  ])('%s', async (_, runs, exists) => {
    expect(await refused(version, runs)).toEqual(exists ? [line] : []);
  });

  test('what was undone on its masters counts, even where they were changed again', async () => {
    const undo = (host: string, ...marks: readonly Mark[]) => ({
      pipeline: 'reset nodes',
      records: [
        { node: `reset/undo/000007-anything@${host}`, phase: 'intent', ...(marks[0] ? { mark: marks[0] } : {}) },
        { node: `reset/undo/000007-anything@${host}`, phase: 'done' },
      ] as const,
    });
    const failed = { records: [{ node: 'node/names/hosts@cp1', phase: 'done' as const }], ended: 'failed' };
    const first = undo('cp1', 'node-removed');
    expect(await refused(version, [{}, first, failed])).toEqual([line, begins]);
    expect(await refused(version, [{}, first, undo('cp2', 'node-removed'), failed])).toEqual([]);
    expect(await refused(version, [{}, first, undo('cp2'), failed])).toEqual([line, begins]);
  });

  test('no master is left of it', async () => {
    expect(await refused(version, [{}], { hosts: ['node1'] })).toEqual([]);
    expect(await refused(version, [{}], { hosts: ['cp2'] })).toEqual([line, begins]);
  });

  test('the newest run that has begun counts', async () => {
    expect(await refused(version, [{}, { config: await configOf(version) }])).toEqual([]);
    expect(await refused(BASE, [{}, { config: await configOf(version) }])).toHaveLength(1);
    expect(await refused(version, [{}, { config: await configOf(version), records: [] }])).toEqual([line]);
  });
});

test('it holds for single tasks, and not for what only undoes', async () => {
  expect(await refused(version, [{}], { pipeline: runTask as Pipeline<never> })).toHaveLength(1);
  expect(await refused(version, [{}], { pipeline: deleteCluster as Pipeline<never> })).toEqual([]);
});

test('what an older kubexm did not have, and nobody asks for, is no change', async () => {
  const { maxPods: _maxPods, ...kubernetesThen } = (await configOf(BASE)).spec.kubernetes;
  const config = await configOf(BASE);
  const then = { ...config, spec: { ...config.spec, kubernetes: kubernetesThen } };
  expect(await refused(BASE, [{ config: then }])).toEqual([]);
  expect(await refused(kubernetes('maxPods: 110'), [{ config: then }])).toEqual(['spec.kubernetes.maxPods: – → 110']);
});

test('create cluster has the step in which a cluster begins', async () => {
  const graph = buildGraph(await creation(creatable()));
  expect(graph.nodes.filter(({ mark }) => mark === 'cluster-begun')).toHaveLength(1);
});
