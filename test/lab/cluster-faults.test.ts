import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cutMachine, healMachine, partitionMachine, startMachine } from '../../src/lab/index.ts';
import { seed, thorough } from '../rig/thorough.ts';
import { BUILD, type ClusterLab, clusterLab, MINUTE, until } from './cluster-lab.ts';
import { describeLab } from './fixture.ts';

/** What only looks or asks leaves nothing in the journal: there is no moment to crash at. */
const SILENT = /^(preflight\/|cluster\/finish\/health|kubernetes\/join\/(join-token|certificate-key))/;
/** A wait has a beginning and no state. */
const WAITS = /^cluster\/health\//;
const PHASES = ['before-intent', 'intent', 'applied', 'before-done', 'done'];
const CA = 'sha256sum </etc/kubernetes/pki/ca.crt';

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

  /** One step of every task that changes something on bare machines, as the dry run tells. */
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
    return tasks.map((some, i) => {
      const { id, host } = some[(seed + i) % some.length] as (typeof some)[number];
      const phase = WAITS.test(id) ? 'intent' : PHASES[(seed + i) % PHASES.length];
      return `${id}@${host}:${phase}`;
    });
  }

  test(`kubexm crashes in ${thorough ? 'each' : 'a'} task and is resumed (seed ${seed}); its API is down when it is deleted`, {
    timeout: (thorough ? 300 : 20) * MINUTE,
  }, async () => {
    const all = await crashes();
    expect(all.length).toBeGreaterThan(12);
    for (const at of thorough ? all : [all[seed % all.length] as string]) {
      await cluster.lab.reset();
      rmSync(join(cluster.dir, '.kubexm', cluster.lab.name, 'flannel'), { recursive: true, force: true });
      const crashed = await cluster.kubexm(['create', 'cluster'], { with: { KUBEXM_CRASH_AT: at } });
      expect(crashed.code, `${at}\n${crashed.stderr}`).toBe(null);
      await cluster.well(['create', 'cluster', '--resume']).catch((error: unknown) => {
        throw new Error(`resumed after ${at}`, { cause: error });
      });
      await isWell();
    }
    await cluster.lab.exec(1, 'systemctl stop kubelet; pkill -9 kube-apiserver');
    await cluster.well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });

  test('kubexm is killed and the cable is pulled while kubeadm init runs: attached again; a node is away when it is deleted', {
    timeout: 20 * MINUTE,
  }, async () => {
    // The same machines again, as the delete before has left them.
    let kill: (() => void) | undefined;
    const killed = cluster.kubexm(['create', 'cluster'], {
      started: (child) => {
        kill = () => child.kill('SIGKILL');
      },
    });
    await Promise.race([initRuns(), killed.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    kill?.();
    expect((await killed).code).toBe(null);
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
  }, async () => {
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

  describe.runIf(thorough)('and deleted half-way', () => {
    test('kubexm crashes while kubeadm init runs, and the cluster is deleted: nothing is left', {
      timeout: 20 * MINUTE,
    }, async () => {
      const at = `kubernetes/init/init@${await name(1)}:intent`;
      const crashed = await cluster.kubexm(['create', 'cluster'], { with: { KUBEXM_CRASH_AT: at } });
      expect(crashed.code, crashed.stderr).toBe(null);
      await cluster.well(['delete', 'cluster']);
      expect(await cluster.traces()).toEqual({});
    });
  });
});
