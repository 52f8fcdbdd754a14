import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLab, deleteLab } from '../../src/lab/index.ts';
import { labEnv, labProblem, removeEnv } from '../../test/lab/fixture.ts';
import { atMost, info, type Section } from '../lib/report.ts';
import { sampleOf } from '../lib/stats.ts';

const ROUNDS = 5;
const MANY = 20;
/** Until systemd has nothing left to do. */
const SETTLE_MS = 15_000;

/** Machines on this box: how soon they are there, and what they cost. */
export const lab: Section = {
  name: 'lab',
  title: 'Lab machines',
  problem: labProblem,
  async run() {
    const env = labEnv();
    try {
      // The image is made once and kept.
      await boot(env, 1);
      const five: { readonly ready: number; readonly whole: number; readonly gone: number }[] = [];
      for (let round = 0; round < ROUNDS; round++) five.push(await boot(env, 5));
      const { megabytes, available } = await idle(env);
      return {
        rows: [
          atMost('5 machines until somebody can log in to the last', 6, sampleOf(five.map((one) => one.ready)), 's', 1),
          info(
            'until the lab is complete, with what it is compared with later',
            sampleOf(five.map((one) => one.whole)),
            's',
            1,
          ),
          info('until nothing of it is left', sampleOf(five.map((one) => one.gone)), 's', 1),
          atMost(`memory of ${MANY} idle machines`, 600, sampleOf([megabytes]), 'MB', 0),
          info('what is less available then', sampleOf([available]), 'MB', 0),
        ],
        how: [
          `systemd-nspawn machines from the cached image; ${ROUNDS} rounds. Memory is the proportional set size of all processes that came ` +
            `with the lab, its package repository included, and the shared memory that grew, ${SETTLE_MS / 1000} s after the last login.`,
        ],
      };
    } finally {
      await removeEnv(env);
    }
  },
};

async function boot(env: NodeJS.ProcessEnv, machines: number) {
  const started = performance.now();
  const since = () => (performance.now() - started) / 1000;
  let ready = 0;
  await createLab(
    { name: 'bench', machines },
    {
      env,
      progress: (event) => {
        if (event.type === 'machine' && event.state === 'ready') ready = since();
      },
    },
  );
  const whole = since();
  await deleteLab('bench', { env });
  return { ready, whole, gone: since() - whole };
}

async function idle(env: NodeJS.ProcessEnv) {
  const before = { processes: new Set(processes()), memory: memory() };
  await createLab({ name: 'bench', machines: MANY }, { env });
  await sleep(SETTLE_MS);
  const now = memory();
  const kilobytes = processes()
    .filter((pid) => !before.processes.has(pid))
    .reduce((sum, pid) => sum + proportional(pid), 0);
  const shared = now.shmem - before.memory.shmem;
  await deleteLab('bench', { env });
  return { megabytes: (kilobytes + shared) / 1024, available: (before.memory.available - now.available) / 1024 };
}

function processes(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

function proportional(pid: string): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    // It has ended meanwhile, or is a thread of the kernel.
    return 0;
  }
}

function memory(): { readonly shmem: number; readonly available: number } {
  const text = readFileSync('/proc/meminfo', 'utf8');
  const value = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { shmem: value('Shmem'), available: value('MemAvailable') };
}
