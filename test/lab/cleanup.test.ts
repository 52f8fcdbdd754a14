import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLab, deleteLab, labPlaces, listLabs, restoreLab, snapshotLab, stopLab } from '../../src/lab/index.ts';
import { describeLab, labEnv, removeEnv, withLab } from './fixture.ts';
import { NO_TRACES, settingsWithoutLabs, tracesOf } from './world.ts';

const CHILD = fileURLToPath(new URL('./command-child.ts', import.meta.url));
const KILLS = process.env['KUBEXM_TEST_THOROUGH'] === '1' ? 40 : 8;

/** Starts doing something to a lab and kills that process, and only it. */
async function killedAfter(ms: number, command: string, name: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [CHILD, command, name], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const listen = (chunk: Buffer): void => {
    said += chunk.toString();
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const code = await Promise.race([exit, sleep(ms, 'late' as const)]);
  if (code === 'late') {
    child.kill('SIGKILL');
    await exit;
  }
  return { code, said };
}

describeLab('a lab that was killed while it was made', () => {
  const name = `k${process.pid}`;
  let env: NodeJS.ProcessEnv;
  let place: string;
  let wholeMs = 4000;
  const before = settingsWithoutLabs();

  beforeAll(async () => {
    // The image is in the cache after this, and the time it takes is known.
    const lab = await withLab(1);
    await lab.close();
    env = labEnv();
    place = labPlaces(env).labs;
    const began = Date.now();
    expect(await killedAfter(60_000, 'create', name, env)).toMatchObject({ code: 0 });
    wholeMs = Date.now() - began;
    await deleteLab(name, { env });
  }, 600_000);
  afterAll(() => removeEnv(env));

  test.each(Array.from({ length: KILLS }, (_, i) => i))(
    'kill %i, and nothing is left after a delete',
    async (i) => {
      // Evenly over the time it takes, at another moment in each part every time.
      const ms = ((i + Math.random()) / KILLS) * wholeMs;
      const { said } = await killedAfter(ms, 'create', name, env);
      const [lab] = await listLabs({ env });
      if (lab && !said.includes('baseline')) expect(lab.phase, said).toBe('partial');
      await deleteLab(name, { env });
      expect(tracesOf(name, place), `killed after ${Math.round(ms)} ms: ${said}`).toEqual(NO_TRACES);
      expect(await deleteLab(name, { env })).toBe(false);
    },
    120_000,
  );

  test('the box is as it was before the first lab', () => {
    const after = settingsWithoutLabs();
    // Other tests may have labs of their own at the moment.
    if (before && after) expect(after).toEqual(before);
    else expect(existsSync('/run/kubexm-lab/box.json')).toBe(after === undefined);
  });
});

describeLab('a lab on which something was killed', () => {
  const name = `c${process.pid}`;
  let env: NodeJS.ProcessEnv;
  beforeAll(() => {
    env = labEnv();
  });
  afterAll(() => removeEnv(env));

  test.each(['delete', 'reboot', 'restore', 'snapshot', 'start'])(
    '%s: nothing is left after a delete',
    async (command) => {
      await createLab({ name, machines: 2 }, { env });
      if (command === 'restore') await snapshotLab(name, { env });
      if (command === 'start') await stopLab(name, { env });
      const ms = 300 + Math.random() * (command === 'delete' ? 500 : 2500);
      await killedAfter(ms, command, name, env);
      await deleteLab(name, { env });
      expect(tracesOf(name, labPlaces(env).labs), `killed after ${Math.round(ms)} ms`).toEqual(NO_TRACES);
    },
    120_000,
  );

  test('a restore that was killed is finished by another one', async () => {
    await createLab({ name, machines: 1 }, { env });
    await snapshotLab(name, { env });
    for (let tries = 0; tries < 10; tries++) {
      await killedAfter(350 + tries * 40, 'restore', name, env);
      const [lab] = await listLabs({ env });
      if (lab?.phase === 'restoring') break;
    }
    const lab = await restoreLab(name, { env });
    expect(lab).toMatchObject({ phase: 'ready', machines: [{ state: 'running' }] });
    await deleteLab(name, { env });
  }, 180_000);
});
