import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { begun, keepRun, noteHosts } from '../../test/support/past-runs.ts';
import { configFor, planContextFor, recordedFacts } from '../../test/support/plan-context.ts';
import { loadConfig } from '../config/index.ts';
import type { Outcome, RunEvent, RunOutcome } from '../model/event.ts';
import type { Mark } from '../model/mark.ts';
import { clusterModule } from '../module/cluster.ts';
import { fanOut, openEventStore, Redactor } from '../observe/index.ts';
import { buildGraph } from '../plan/graph.ts';
import { CONDITIONS, describeCluster } from '../runtime/cluster-description.ts';
import { readChecks, readNodes } from '../runtime/cluster-live.ts';
import { listNodes } from './cluster-nodes.ts';
import { listClusters } from './clusters.ts';
import { recordContext, useContext } from './contexts.ts';
import { workDirOf } from './work-dir.ts';

const START = Date.UTC(2026, 0, 31, 12);
const hosts = ['cp1', 'node1', 'node2'];

/** A run as the store keeps it. */
interface Told {
  readonly id: string;
  readonly pipeline: string;
  /** Undefined: nobody has seen its end. */
  readonly outcome?: RunOutcome;
  readonly dryRun?: boolean;
  readonly lost?: readonly string[];
  readonly failed?: readonly string[];
  /** How nodes ended, by `id@host` or `id@host mark`. */
  readonly ended?: Readonly<Record<string, Outcome>>;
  readonly after?: number;
  /** It has changed nothing on hosts. */
  readonly idle?: boolean;
  /** The cluster has begun in it. */
  readonly begins?: boolean;
  readonly tags?: readonly string[];
}

function eventsOf({
  id,
  pipeline,
  outcome,
  dryRun = false,
  lost = [],
  failed = [],
  ended = {},
  after = 0,
}: Told): RunEvent[] {
  const at = START + after * 60_000;
  const names = { run: id, pipeline, cluster: 'demo' };
  const nodes = Object.entries(ended).map(([name, how]) => {
    const [node = '', mark] = name.split(' ') as [string, Mark | undefined];
    const host = node.slice(node.indexOf('@') + 1);
    const where = { node, host, module: 'm', task: 'm/t', step: 's', kind: 'file', title: 't', ...(mark && { mark }) };
    return { type: 'node-finished', run: id, at, ...where, outcome: how, durationMs: 1 } as const;
  });
  const error = { code: 'KX4009', params: {} } as const;
  const failures = failed.map((host) => ({ node: `m/t/s@${host}`, host, error }));
  return [
    { type: 'run-started', at, ...names, hosts, nodes: 3, planHash: 'h', dryRun, resumed: false, estimateSeconds: 1 },
    ...nodes,
    ...(outcome === undefined
      ? []
      : [
          {
            type: 'run-finished' as const,
            at: at + 30_000,
            ...names,
            outcome,
            counts: {},
            durationMs: 30_000,
            criticalPathMs: 1,
            failures,
            lostHosts: lost,
            resumable: outcome !== 'succeeded',
          },
        ]),
  ];
}

/** A directory with a cluster file, its runs, and a list of known clusters. */
async function world(runs: readonly Told[], noted: readonly string[] = hosts) {
  const baseDir = mkdtempSync(join(tmpdir(), 'kubexm-clusters-'));
  onTestFinished(() => rmSync(baseDir, { recursive: true, force: true }));
  const configFile = join(baseDir, 'cluster.yaml');
  writeFileSync(configFile, configFor({ workers: 2 }));
  const env = { KUBEXM_HOME: join(baseDir, 'home') };
  recordContext(env, { name: 'demo', configFile, baseDir });
  const workDir = workDirOf(baseDir, 'demo');
  mkdirSync(workDir.runs, { recursive: true });
  const sink = fanOut(new Redactor(), [openEventStore(workDir.events)]);
  for (const event of runs.flatMap(eventsOf)) sink(event);
  await sink.close();
  for (const { id, pipeline, outcome, idle, begins, tags, dryRun } of runs) {
    if (dryRun) continue;
    const some = idle ? [] : [{ node: 'node/names/hosts@cp1', phase: 'intent' as const }];
    const ended = outcome === undefined ? {} : { ended: outcome };
    keepRun(workDir, id, { pipeline, records: [...some, ...(begins ? begun('cp1') : [])], ...ended, tags: tags ?? [] });
  }
  noteHosts(workDir, noted);
  const keep = (run: string, name: string, value: unknown) => {
    mkdirSync(join(workDir.runs, run), { recursive: true });
    writeFileSync(join(workDir.runs, run, `${name}.json`), JSON.stringify(value));
  };
  return { env, place: { configFile, baseDir }, keep };
}

const create = (outcome: RunOutcome, more: Partial<Told> = {}): Told => ({
  id: '1',
  pipeline: 'create cluster',
  outcome,
  ...more,
});

const gone = (outcome: RunOutcome): Told => ({ id: '2', pipeline: 'delete cluster', outcome, after: 1 });
const reset: Told = { id: '3', pipeline: 'reset nodes', outcome: 'succeeded', after: 2 };

describe('the status of a cluster', () => {
  const cases: readonly (readonly [status: string, runs: readonly Told[]])[] = [
    ['new', []],
    ['new', [{ id: '1', pipeline: 'run command', outcome: 'succeeded' }]],
    ['new', [create('succeeded', { dryRun: true })]],
    ['ready', [create('succeeded')]],
    ['ready', [create('succeeded'), { id: '2', pipeline: 'run task', outcome: 'failed', after: 1 }]],
    ['failed', [create('failed')]],
    ['partial', [create('partial')]],
    ['unfinished', [create('interrupted')]],
    ['ready', [create('failed'), create('succeeded', { id: '2', after: 1 })]],
    ['deleted', [create('succeeded'), { id: '2', pipeline: 'delete cluster', outcome: 'succeeded', after: 1 }]],
    ['half-deleted', [create('succeeded'), { id: '2', pipeline: 'delete cluster', outcome: 'partial', after: 1 }]],
    ['creating', [{ id: '1', pipeline: 'create cluster' }]],
    // Answered with no, refused by preflight, failed before the first change: nothing is other than before.
    ['new', [create('failed', { idle: true })]],
    ['ready', [create('succeeded'), create('failed', { id: '2', after: 1, idle: true })]],
    ['ready', [create('succeeded'), create('interrupted', { id: '2', after: 1, idle: true })]],
    ['ready', [create('succeeded'), { ...gone('interrupted'), idle: true }]],
    // A part makes no cluster, and does not unmake one.
    ['unfinished', [create('succeeded', { tags: ['node'] })]],
    ['failed', [create('failed'), create('succeeded', { id: '2', after: 1, tags: ['node'] })]],
    ['ready', [create('succeeded'), create('failed', { id: '2', after: 1, tags: ['node'] })]],
    [
      'unfinished',
      [create('succeeded'), gone('succeeded'), create('succeeded', { id: '3', after: 2, tags: ['node'] })],
    ],
  ];
  test.each(cases)('%s', async (status, runs) => {
    const { env } = await world(runs);
    const [row] = await listClusters(env);
    expect(row).toMatchObject({ name: 'demo', current: true, status, masters: 1, workers: 2, nodes: 3 });
  });

  test('its age counts from when it was first ready since it was last deleted; its version is what was applied', async () => {
    const { env, keep } = await world([
      create('succeeded', { begins: true }),
      gone('succeeded'),
      create('succeeded', { id: '3', after: 2, begins: true }),
      create('failed', { id: '4', after: 3 }),
    ]);
    for (const [run, version] of Object.entries({ 1: 'v1.32.2', 3: 'v1.33.2', 4: 'v1.33.3' }))
      keep(run, 'config', (await loadConfig({ text: configFor({ version }), file: 'x' })).cluster);
    const [row] = await listClusters(env);
    // The last run has failed before it looked whether the cluster had begun: the cluster is as it was.
    expect(row).toMatchObject({
      status: 'failed',
      since: START + 150_000,
      kubernetesVersion: 'v1.33.2',
      lastRun: { id: '4' },
    });
  });

  test('resetting the last of its hosts deletes it', async () => {
    const runs = [create('succeeded', { begins: true }), gone('partial'), reset];
    const left = await world(runs, ['node2']);
    expect(await listClusters(left.env)).toMatchObject([{ status: 'half-deleted' }]);
    const none = await world(runs, []);
    expect(await listClusters(none.env)).toMatchObject([{ status: 'deleted', since: null }]);
    expect(await describeCluster(none.place)).toMatchObject({ status: 'deleted', applied: null });
    const unmade = await world([reset], []);
    expect(await listClusters(unmade.env)).toMatchObject([{ status: 'new' }]);
  });

  test('its age counts from its newest beginning, even if the one before was not deleted by its name', async () => {
    const ended = { 'a@cp1 cluster-begun': 'changed' } as const;
    const { env } = await world([
      create('succeeded', { ended }),
      { ...reset, id: '2', after: 1 },
      create('succeeded', { id: '3', after: 2, ended }),
      create('succeeded', { id: '4', after: 3, ended: { 'a@cp1 cluster-begun': 'satisfied' } }),
    ]);
    expect(await listClusters(env)).toMatchObject([{ status: 'ready', since: START + 150_000 }]);
  });

  test('a file that is gone is no reason to know nothing', async () => {
    const { env, place } = await world([create('succeeded')]);
    rmSync(place.configFile);
    recordContext(env, { ...place, name: 'other' });
    useContext(env, 'other');
    const rows = await listClusters(env);
    expect(rows).toMatchObject([
      { name: 'demo', current: false, status: 'ready', kubernetesVersion: null, nodes: null },
      { name: 'other', current: true, status: 'new' },
    ]);
  });
});

describe('the state of hosts', () => {
  const statesAfter = async (...runs: readonly Told[]) => {
    const { place } = await world(runs);
    return (await listNodes(place)).map(({ name, state }) => `${name} ${state}`);
  };

  test.each([
    [[], ['new', 'new', 'new']],
    [[create('succeeded')], ['ok', 'ok', 'ok']],
    [
      [create('partial', { lost: ['node2'], ended: { 'a@cp1': 'changed', 'a@node1': 'satisfied' } })],
      ['ok', 'ok', 'lost'],
    ],
    [
      [create('failed', { failed: ['node1'], ended: { 'a@cp1': 'changed', 'a@node2': 'skipped' } })],
      ['ok', 'failed', 'unfinished'],
    ],
    [[{ id: '1', pipeline: 'create cluster' }], ['working', 'working', 'working']],
    [
      [create('succeeded'), create('failed', { id: '2', after: 1, failed: ['node1'], idle: true })],
      ['ok', 'ok', 'ok'],
    ],
    [
      [create('succeeded'), { id: '2', pipeline: 'delete cluster', outcome: 'succeeded', after: 1 }],
      ['removed', 'removed', 'removed'],
    ],
  ] as const)('%#', async (runs, expected) => {
    expect(await statesAfter(...runs)).toEqual(hosts.map((host, i) => `${host} ${expected[i]}`));
  });

  test('what they are comes from the newest run that has read them', async () => {
    const { place, keep } = await world([create('succeeded')]);
    keep('20260101-000000-aaaaaa', 'facts', { cp1: recordedFacts('rocky-9'), node1: recordedFacts('rocky-9') });
    keep('20260102-000000-aaaaaa', 'facts', { cp1: recordedFacts('debian-12') });
    const rows = await listNodes(place);
    expect(rows.map(({ os }) => os?.split(' ')[0] ?? null)).toEqual(['Debian', 'Rocky', null]);
    expect(rows[0]).toMatchObject({ arch: 'amd64', address: '10.1.0.1', lastRun: { pipeline: 'create cluster' } });
  });
});

describe('a description', () => {
  test('conditions by the last look, and what the file says otherwise than what was applied', async () => {
    const ended = {
      'a@cp1 nodes-ready': 'satisfied',
      'b@cp1 network-ready': 'ran',
      'b@node1 network-ready': 'skipped',
      'c@cp1 dns-ready': 'ran',
      'c@node1 dns-ready': 'failed',
    } as const;
    const { place, keep } = await world([create('failed', { ended, begins: true })]);
    const { cluster } = await loadConfig(place.configFile, ['kubernetes.maxPods=90', 'ssh.password=env:X']);
    keep('1', 'config', cluster);
    const description = await describeCluster(place);
    expect(Object.fromEntries(description.conditions.map(({ type, status }) => [type, status]))).toEqual({
      Created: 'False',
      NodesReady: 'True',
      ControlPlaneReady: 'Unknown',
      NetworkReady: 'Unknown',
      ProxyReady: 'Unknown',
      DnsReady: 'False',
    });
    expect(description.applied).toMatchObject({ run: '1', at: 0 });
    expect(description.applied?.differences).toContainEqual({
      path: 'spec.kubernetes.maxPods',
      before: '90',
      after: '110',
    });
    expect(description).toMatchObject({
      status: 'failed',
      network: 'flannel',
      artifacts: { pinned: 0 },
      kubeconfig: null,
    });
  });

  test('every step that tells a condition is part of creating a cluster', async () => {
    const graph = buildGraph(clusterModule.plan(await planContextFor(configFor())));
    const marks = graph.nodes.map(({ mark }) => mark);
    expect(marks).toEqual(expect.arrayContaining(CONDITIONS.map(([, mark]) => mark)));
  });

  test('what the cluster says itself wins', async () => {
    const { place } = await world([create('succeeded')]);
    const nodes = readNodes({
      stdout: 'cp1\tTrue\tv1.34.2\t\t2026-01-31T12:00:00Z\nnode1\t\tv1.34.2\ttrue\t2026-01-31T12:00:00Z\n',
    });
    expect(nodes).toMatchObject([
      { name: 'cp1', ready: 'True', schedulable: true },
      { name: 'node1', ready: 'Unknown', schedulable: false },
    ]);
    const checks = readChecks({ stdout: '[+]ping ok\n[+]etcd ok\nreadyz check passed\n' });
    const { conditions } = await describeCluster(place, { through: 'cp1', nodes, checks });
    expect(conditions.filter(({ source }) => source === 'live').map(({ type, status }) => `${type} ${status}`)).toEqual(
      ['ApiServerHealthy True', 'EtcdHealthy True', 'NodesReady False'],
    );
    expect(conditions.filter(({ type }) => type === 'NodesReady')).toHaveLength(1);
  });

  test.each([
    ['[+]ping ok\n[+]etcd ok\n', ['ApiServerHealthy True', 'EtcdHealthy True']],
    ['[+]ping ok\n[-]etcd failed: reason withheld\n', ['ApiServerHealthy False', 'EtcdHealthy False']],
    ['[-]ping failed: reason withheld\n[+]etcd ok\n', ['ApiServerHealthy False', 'EtcdHealthy True']],
    ['[+]ping ok\n', ['ApiServerHealthy True', 'EtcdHealthy Unknown']],
    ['', ['ApiServerHealthy Unknown', 'EtcdHealthy Unknown']],
  ])('the API server is healthy if all of its checks pass: %j', async (stdout, told) => {
    const { place } = await world([create('succeeded')]);
    const ready = readNodes({ stdout: 'cp1\tTrue\tv1.34.2\t\t2026-01-31T12:00:00Z\n' });
    const live = { through: 'cp1', nodes: ready, checks: readChecks({ stdout }) };
    const { conditions } = await describeCluster(place, live);
    const found = conditions.filter(({ source }) => source === 'live').map(({ type, status }) => `${type} ${status}`);
    expect(found).toEqual([...told, 'NodesReady True']);
  });
});
