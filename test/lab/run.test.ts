import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cutMachine, healMachine, partitionMachine, startMachine } from '../../src/lab/index.ts';
import type { SampleParams } from '../integration/pipeline.ts';
import { bundleDriver, type DriveOptions } from '../integration/sample.ts';
import { type Driven, driven } from '../rig/driven.ts';
import { configBehind, LOGIN } from './behind-bastion.ts';
import { describeLab, type TestLab, withLab } from './fixture.ts';

const ROOT = '/srv/sample';
const once = (event: { readonly type: string }, node: number, lab: TestLab): boolean =>
  event.type === 'node-started' && 'node' in event && String(event.node).endsWith(`once@${lab.name}-${node}`);

/** The sample pipeline on machines behind a bastion, as a user whom sudo asks for a password. */
describeLab('a run on real machines, through a bastion, with a sudo password', () => {
  let lab: TestLab;
  let dir: string;
  beforeAll(async () => {
    lab = await withLab(3, LOGIN);
    dir = mkdtempSync(join(tmpdir(), 'kubexm-lab-run-'));
    await bundleDriver(join(dir, 'drive.mjs'));
    writeFileSync(join(dir, 'cluster.yaml'), await configBehind(lab, 'sample'));
  }, 600_000);
  afterAll(async () => {
    await lab?.close();
    rmSync(dir, { recursive: true, force: true });
  }, 60_000);
  beforeEach(async () => {
    rmSync(join(dir, '.kubexm'), { recursive: true, force: true });
    await Promise.all([2, 3].map((node) => lab.exec(node, `rm -rf ${ROOT} /var/lib/kubexm /run/kubexm`)));
  });

  function drive(options: DriveOptions = {}): Promise<Driven> {
    const { params, crashAt, with: more, onEvent, started, ...rest } = options;
    const all: SampleParams = { root: ROOT, jobSeconds: 6, failOn: '', ...params };
    const words = [join(dir, 'drive.mjs'), join(dir, 'cluster.yaml'), dir, JSON.stringify(all), JSON.stringify(rest)];
    return driven(words, { crashAt, with: more, onEvent, started });
  }

  const log = (node: number) => lab.exec(node, `cat ${ROOT}/once.log`);
  const units = (node: number) => lab.exec(node, "systemctl list-units --plain --no-legend 'kubexm-job-*'");
  const ended = (run: Driven) => [run.report?.outcome, run.error?.message, JSON.stringify(run.report?.failures ?? [])];
  const well = ['succeeded', undefined, '[]'];

  test('changes them once, and then nothing', { timeout: 240_000 }, async () => {
    const first = await drive({ params: { jobSeconds: 0.2 } });
    expect(ended(first)).toEqual(well);
    expect(first.report?.counts.changed).toBeGreaterThan(10);
    const second = await drive({ params: { jobSeconds: 0.2 } });
    expect(ended(second)).toEqual(well);
    expect(second.report?.counts.changed).toBeUndefined();
  });

  test('kubexm killed with -9: the job is a unit of its own and goes on, a resumed run attaches to it', {
    timeout: 240_000,
  }, async () => {
    const killed = await drive({
      onEvent: (event, child) => {
        if (once(event, 3, lab)) setTimeout(() => child.kill('SIGKILL'), 1500);
      },
    });
    expect(killed.signal).toBe('SIGKILL');
    expect(await units(3)).toMatch(/^kubexm-job-\S+\.service +loaded +active +running/);
    const resumed = await drive({ resume: true });
    expect(ended(resumed)).toEqual(well);
    expect(resumed.events.filter((event) => event.type === 'node-attached').length).toBeGreaterThan(0);
    expect(await log(2)).toBe('start\n');
    expect(await log(3)).toBe('start\n');
    expect(await units(3)).toBe('');
  });

  test('sshd’s session killed with -9: connected again, the job was not disturbed', { timeout: 240_000 }, async () => {
    let cut: Promise<unknown> | undefined;
    const run = await drive({
      onEvent: (event) => {
        if (once(event, 2, lab))
          cut ??= sleep(1000).then(() => lab.exec(2, 'pkill -9 -x sshd -u admin || pkill -9 -f sshd:.admin'));
      },
    });
    await cut;
    expect(ended(run)).toEqual(well);
    expect(await log(2)).toBe('start\n');
  });

  test('the network cable pulled for a while: waited for, the job was not disturbed', {
    timeout: 240_000,
  }, async () => {
    let cut: Promise<unknown> | undefined;
    const pull = async () => {
      const { name } = await lab.machine(3);
      await sleep(1000);
      await partitionMachine(name, { env: lab.env });
      await sleep(8000);
      await healMachine(name, { env: lab.env });
    };
    const run = await drive({
      onEvent: (event) => {
        if (once(event, 3, lab)) cut ??= pull();
      },
    });
    await cut;
    expect(ended(run)).toEqual(well);
    expect(await log(3)).toBe('start\n');
  });

  test('a power cut in the middle: found half done, undone and done again', { timeout: 240_000 }, async () => {
    let cut: Promise<unknown> | undefined;
    const pull = async () => {
      const { name } = await lab.machine(3);
      await sleep(1500);
      await cutMachine(name, { env: lab.env });
      await startMachine(name, { env: lab.env });
    };
    const run = await drive({
      reconnectSeconds: 90,
      onEvent: (event) => {
        if (once(event, 3, lab)) cut ??= pull();
      },
    });
    await cut;
    const last = run.report?.outcome === 'succeeded' ? run : await drive({ resume: true });
    expect(ended(last)).toEqual(well);
    expect(await log(3)).toBe('start\nrevert\nstart\n');
    expect(await log(2)).toBe('start\n');
  });

  test('a machine that stays away is set aside; the others go on, and a resumed run completes it', {
    timeout: 240_000,
  }, async () => {
    const { name } = await lab.machine(3);
    let cut: Promise<unknown> | undefined;
    const run = await drive({
      reconnectSeconds: 3,
      onEvent: (event) => {
        if (once(event, 3, lab)) cut ??= partitionMachine(name, { env: lab.env });
      },
    });
    await cut;
    expect(run.report?.outcome).toBe('partial');
    expect(run.report?.lostHosts).toEqual([name]);
    await healMachine(name, { env: lab.env });
    expect(ended(await drive({ resume: true }))).toEqual(well);
    expect(await log(3)).toBe('start\n');
  });
});
