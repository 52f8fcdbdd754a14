import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cutMachine, healMachine, partitionMachine, startMachine } from '../../src/lab/index.ts';
import type { Ended } from '../cli/rig/cli.ts';
import { seed, thorough } from '../rig/thorough.ts';
import { BUILD, type ClusterLab, clusterLab, MINUTE, until } from './cluster-lab.ts';
import { describeLab } from './fixture.ts';

/** What only looks or asks leaves nothing in the journal: there is no moment to crash at. */
const SILENT = /^(preflight\/|cluster\/finish\/health|kubernetes\/join\/(join-token|certificate-key))/;
/** A wait has a beginning and no state. */
const WAITS = /^cluster\/health\//;
const PHASES = ['before-intent', 'intent', 'applied', 'before-done', 'done'];
const CA = 'sha256sum </etc/kubernetes/pki/ca.crt';
const LONG = 'needs minutes: npm run test:lab';
const JOBS = "systemctl list-units --plain --no-legend 'kubexm-job-*'";

// A cluster takes a minute or more: `npm test` brings one up, `npm run test:lab` all of them.
describeLab('a cluster whose creation is disturbed', () => {
  let cluster: ClusterLab;
  beforeAll(async () => {
    cluster = await clusterLab(2, { resettable: true });
  }, BUILD);
  afterAll(() => cluster?.close(), 2 * MINUTE);

  const name = async (index: number) => (await cluster.lab.machine(index)).name;
  const initRuns = () => until('kubeadm init runs', async () => (await cluster.lab.exec(1, CA)) !== '');
  const isWell = async () => {
    expect(await cluster.states()).toEqual(['Ready', 'Ready']);
    await cluster.well(['create', 'cluster', '--detailed-exitcode']);
  };

  /** `create cluster`, and how it is killed. */
  function creating(): { readonly interrupt: () => void; readonly ended: Promise<Ended> } {
    let kill = () => {};
    const started = (child: ChildProcess) => {
      kill = () => void child.kill('SIGKILL');
    };
    const ended = cluster.kubexm(['create', 'cluster'], { started });
    return { interrupt: () => kill(), ended };
  }

  /** One step of every task that changes something on bare machines, as the dry run tells; the last first, they have most to lose. */
  async function crashes(): Promise<readonly string[]> {
    // What is got already is not got again.
    rmSync(join(cluster.dir, '.kubexm', cluster.lab.name, 'flannel'), { recursive: true });
    const { stdout } = await cluster.well(['create', 'cluster', '--dry-run']);
    const nodes = [...stdout.matchAll(/^(\S+\/\S+) {2}on (.+)$/gm)]
      .filter(([, id = '']) => !SILENT.test(id))
      .flatMap(([, id = '', hosts = '']) =>
        hosts.split(', ').map((host) => ({ id, host, task: id.replace(/\/[^/]*$/, '') })),
      );
    const tasks = [...Map.groupBy(nodes, ({ task }) => task).values()];
    return tasks.toReversed().map((some, i) => {
      const { id, host } = some[(seed + i) % some.length] as (typeof some)[number];
      const phase = WAITS.test(id) ? 'intent' : PHASES[(seed + i) % PHASES.length];
      return `${id}@${host}:${phase}`;
    });
  }

  /** kubexm crashes there, on bare machines; a resumed run brings the cluster up, and there is nothing left to do. */
  async function survives(at: string): Promise<void> {
    await cluster.lab.reset();
    rmSync(join(cluster.dir, '.kubexm', cluster.lab.name, 'flannel'), { recursive: true, force: true });
    const crashed = await cluster.kubexm(['create', 'cluster'], { with: { KUBEXM_CRASH_AT: at } });
    expect(crashed.code, crashed.stderr).toBe(null);
    await cluster.well(['create', 'cluster', '--resume']);
    await isWell();
  }

  test(`kubexm crashes in ${thorough ? 'each' : 'a'} task and is resumed (seed ${seed}); its API is down when it is deleted`, {
    timeout: (thorough ? 300 : 20) * MINUTE,
  }, async () => {
    const all = await crashes();
    expect(all.length).toBeGreaterThan(12);
    // A plain run tries the one with most at stake: a node that is joining.
    const tried = thorough ? all : [`kubernetes/join/join@${await name(2)}:applied`];
    // All are tried: one that goes wrong says nothing about the next.
    const wrong: string[] = [];
    for (const at of tried) {
      await survives(at).catch((error: unknown) => wrong.push(`${at}: ${error}`));
    }
    expect(wrong).toEqual([]);
    await cluster.lab.exec(1, 'systemctl stop kubelet; pkill -9 kube-apiserver');
    await cluster.well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });

  test('kubexm is killed and the cable is pulled while kubeadm init runs: attached again; a node is away when it is deleted', {
    timeout: 20 * MINUTE,
  }, async (context) => {
    if (!thorough) return context.skip(LONG);
    // The same machines again, as the delete before has left them.
    const { interrupt, ended } = creating();
    await Promise.race([initRuns(), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    interrupt();
    expect((await ended).code).toBe(null);
    const ca = await cluster.lab.exec(1, CA);
    const master = await name(1);
    const cut = sleep(3000).then(async () => {
      await partitionMachine(master, { env: cluster.lab.env });
      await sleep(8000);
      await healMachine(master, { env: cluster.lab.env });
    });
    await cluster.well(['create', 'cluster', '--resume']);
    await cut;
    // A second run would have begun with a reset, and made another authority.
    expect(await cluster.lab.exec(1, CA)).toBe(ca);
    await isWell();

    const worker = await name(2);
    await partitionMachine(worker, { env: cluster.lab.env });
    const deleted = await cluster.kubexm(['delete', 'cluster']);
    expect(deleted.code, deleted.stderr).toBe(7);
    expect(deleted.stderr).toContain(worker);
    await healMachine(worker, { env: cluster.lab.env });
    await cluster.well(['reset', 'nodes', '--nodes', worker]);
    expect(await cluster.traces()).toEqual({});
  });

  test('the worker loses its power: the rest finishes, the report names it, a resumed run completes it', {
    timeout: 20 * MINUTE,
  }, async (context) => {
    if (!thorough) return context.skip(LONG);
    const worker = await name(2);
    const cut = until('the worker joins', async () => (await cluster.lab.exec(2, 'pgrep -x kubeadm')) !== '').then(() =>
      cutMachine(worker, { env: cluster.lab.env }),
    );
    const partial = await cluster.kubexm(['create', 'cluster']);
    await cut;
    expect(partial.code, partial.stderr).toBe(7);
    expect(partial.stderr).toContain(worker);
    expect((await cluster.states())[0]).toBe('Ready');
    await startMachine(worker, { env: cluster.lab.env });
    await cluster.well(['create', 'cluster', '--resume']);
    await isWell();
    await cluster.well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });

  test('the master loses its power while kubeadm init runs, and the cluster is deleted: nothing is left', {
    timeout: 20 * MINUTE,
  }, async (context) => {
    if (!thorough) return context.skip(LONG);
    const { interrupt, ended } = creating();
    await Promise.race([initRuns(), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    interrupt();
    await ended;
    const master = await name(1);
    await cutMachine(master, { env: cluster.lab.env });
    await startMachine(master, { env: cluster.lab.env });
    expect(await cluster.lab.exec(1, 'cat /var/lib/kubexm/once/kubeadm')).toBe('begun\n');
    // What kubexm began on the other machine ends before anything of it is undone.
    await until('no job lives', async () => (await cluster.lab.exec(2, JOBS)) === '');
    await cluster.well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });
});
