import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createLab,
  deleteLab,
  labPlaces,
  listLabs,
  partitionMachine,
  restoreLab,
  snapshotLab,
  stopLab,
} from '../../src/lab/index.ts';
import { describeLab, labEnv, removeEnv, withLab } from './fixture.ts';
import { type BoxState, boxState, NO_TRACES, tracesOf } from './world.ts';

const CHILD = fileURLToPath(new URL('./command-child.ts', import.meta.url));
const THOROUGH = process.env['KUBEXM_TEST_THOROUGH'] === '1';
const KILLS = THOROUGH ? 40 : 8;

/** Starts doing something to a lab and kills that process, and only it, so long after it began. */
async function killedAfter(ms: number, command: string, name: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [CHILD, command, name], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let begin = (): void => undefined;
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const listen = (chunk: Buffer): void => {
    said += chunk.toString();
    if (said.startsWith('go\n')) begin();
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const code = await Promise.race([exit, began.then(() => sleep(ms, 'late' as const))]);
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
  let before: BoxState;

  beforeAll(async () => {
    // The image is in the cache after this, and the time it takes is known.
    const lab = await withLab(1);
    await lab.close();
    env = labEnv();
    place = labPlaces(env).labs;
    before = boxState(name, place);
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
    expect(boxState(name, place)).toEqual(before);
  });
});

/** What is killed, how long it takes at most, and what is done before. */
interface Killed {
  readonly command: string;
  readonly ms: number;
  readonly first?: (name: string, env: NodeJS.ProcessEnv) => Promise<unknown>;
}

/** Those that are quick are killed one after the other on the same lab, which costs a boot. */
const COMMANDS: readonly (readonly Killed[])[] = [
  [{ command: 'delete', ms: 900 }],
  [
    { command: 'partition', ms: 120 },
    { command: 'heal', ms: 120, first: (name, env) => partitionMachine({ lab: name, name: `${name}-1` }, { env }) },
    { command: 'delay', ms: 120 },
  ],
  [
    { command: 'stop', ms: 1000 },
    { command: 'start', ms: 2500, first: (name, env) => stopLab(name, { env }) },
    { command: 'cut', ms: 300 },
  ],
  [{ command: 'reboot', ms: 3500 }],
  [{ command: 'snapshot', ms: 3500 }],
  [{ command: 'restore', ms: 3500, first: (name, env) => snapshotLab(name, { env }) }],
];
const ROUNDS = THOROUGH
  ? COMMANDS.flat().flatMap((one) => Array.from({ length: 8 }, () => [one]))
  : COMMANDS.map((group) => group.toSorted(() => Math.random() - 0.5));

describeLab('a lab on which something was killed', () => {
  const name = `c${process.pid}`;
  let env: NodeJS.ProcessEnv;
  let before: BoxState;
  beforeAll(() => {
    env = labEnv();
    before = boxState(name, labPlaces(env).labs);
  });
  afterAll(() => removeEnv(env));

  test.each(ROUNDS.map((round) => [round.map((one) => one.command).join(', '), round] as const))(
    '%s: nothing is left after a delete',
    async (_, round) => {
      await createLab({ name, machines: 2 }, { env });
      const log: string[] = [];
      for (const { command, ms: most, first } of round) {
        await first?.(name, env);
        const ms = Math.random() * most;
        const { said } = await killedAfter(ms, command, name, env);
        log.push(`${command} killed after ${Math.round(ms)} ms: ${said}`);
      }
      await deleteLab(name, { env });
      expect(tracesOf(name, labPlaces(env).labs), log.join('\n')).toEqual(NO_TRACES);
      expect(boxState(name, labPlaces(env).labs), log.join('\n')).toEqual(before);
    },
    120_000,
  );

  test('a restore that was killed is finished by another one', async () => {
    await createLab({ name, machines: 1 }, { env });
    await snapshotLab(name, { env });
    for (let tries = 0; tries < 10; tries++) {
      await killedAfter(50 + tries * 40, 'restore', name, env);
      const [lab] = await listLabs({ env });
      if (lab?.phase === 'restoring') break;
    }
    const lab = await restoreLab(name, { env });
    expect(lab).toMatchObject({ phase: 'ready', machines: [{ state: 'running' }] });
    await deleteLab(name, { env });
  }, 180_000);
});
