import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '../../src/index.ts';
import { labConfig } from '../../src/lab/config.ts';
import { createLab, deleteLab, execInMachine, type Lab, openLab } from '../../src/lab/index.ts';
import { askDns } from '../../test/lab/ask-dns.ts';
import { labEnv, labProblem, removeEnv } from '../../test/lab/fixture.ts';
import { root } from '../lib/bundle.ts';
import { atMost, info, type Section } from '../lib/report.ts';
import { sampleOf } from '../lib/stats.ts';

const ROUNDS = 3;
const LAB = 'benchc';

interface Round {
  readonly create: Measured;
  readonly again: Measured;
  readonly remove: Measured;
}

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
  /** The run's own time over its longest chain of steps that had to follow one another. */
  readonly overPath: number;
  readonly changes: number;
}

/** One control plane and one worker, from bare machines to names that are answered, and back. */
export const cluster: Section = {
  name: 'cluster',
  title: 'A cluster',
  problem: labProblem,
  async run() {
    const env = { ...labEnv(), KUBEXM_SOURCES: process.env['KUBEXM_SOURCES'] ?? 'go' };
    const dir = mkdtempSync(join(tmpdir(), 'kubexm-bench-cluster-'));
    try {
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await once(env, dir, round === 0));
      const of = (pick: (one: Round) => number) => sampleOf(rounds.map(pick));
      return {
        rows: [
          atMost(
            'from bare machines to a pod that answers through a Service',
            45,
            of((one) => one.create.seconds),
            's',
            1,
          ),
          atMost(
            'that run over its critical path',
            1.3,
            of((one) => one.create.overPath),
            '×',
            2,
          ),
          atMost(
            'memory of kubexm',
            250,
            of((one) => one.create.megabytes),
            'MB',
            0,
          ),
          atMost(
            'the same again, nothing to do',
            5,
            of((one) => one.again.seconds),
            's',
            1,
          ),
          atMost(
            'changes of the second run',
            0,
            of((one) => one.again.changes),
            '',
            0,
          ),
          atMost(
            'until the machines are as before',
            10,
            of((one) => one.remove.seconds),
            's',
            1,
          ),
          info(
            'changes of the first run',
            of((one) => one.create.changes),
            '',
            0,
          ),
        ],
        how: [
          `One control plane and one worker by kubeadm on bare lab machines of this box, artifacts in the cache; ${ROUNDS} rounds, each on new ` +
            'machines. Times are those of the whole process. The first one ends when every node is ready, flannel, kube-proxy and CoreDNS ' +
            'run on all of them, and CoreDNS answers a machine through its Service; packages of the system are installed from ' +
            'the lab’s repository within it.',
        ],
      };
    } finally {
      await removeEnv(env);
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function once(env: NodeJS.ProcessEnv, dir: string, first: boolean): Promise<Round> {
  rmSync(join(dir, '.kubexm'), { recursive: true, force: true });
  await createLab({ name: LAB, machines: 2 }, { env });
  try {
    const lab = await openLab(LAB, { env });
    writeFileSync(join(dir, 'c.yaml'), labConfig(lab));
    if (first) await kubexm(['download', 'artifacts'], env, dir);
    const made = await kubexm(['create', 'cluster'], env, dir);
    const create = { ...made, seconds: made.seconds + (await secondsToAnswer(lab)) };
    const again = await kubexm(['create', 'cluster'], env, dir);
    const remove = await kubexm(['delete', 'cluster'], env, dir);
    return { create, again, remove };
  } finally {
    await deleteLab(LAB, { env });
  }
}

/** Until it answers. */
const ASK = `for try in $(seq 50); do
  address=$(${askDns('kubernetes.default.svc.cluster.local')})
  [ -z "$address" ] || exit 0
  sleep 0.1
done
exit 1`;

async function secondsToAnswer(lab: Lab): Promise<number> {
  const started = performance.now();
  const [master] = lab.machines;
  if (!master) throw new Error('a lab without machines');
  const { code, stderr } = await execInMachine(master, ASK);
  if (code !== 0) throw new Error(`the cluster’s DNS does not answer: ${stderr}`);
  return (performance.now() - started) / 1000;
}

/** Runs the command line to its end, with an eye on its memory. */
async function kubexm(words: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Measured> {
  const started = performance.now();
  const args = [join(root, 'dist', 'kubexm.mjs'), ...words, '-f', 'c.yaml', '--yes', '-o', 'json'];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err, kilobytes] = ['', '', 0];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const watch = setInterval(() => {
    kilobytes = Math.max(kilobytes, peakOf(child.pid));
  }, 100);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`kubexm ${words.join(' ')} ended with ${code}: ${err.slice(-2000)}`);
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
  const end = events.find((event) => event.type === 'run-finished');
  return {
    seconds: (performance.now() - started) / 1000,
    megabytes: kilobytes / 1024,
    // Not a number where nothing was done.
    overPath: (end?.durationMs ?? 0) / (end?.criticalPathMs ?? 0),
    changes: end?.counts.changed ?? 0,
  };
}

function peakOf(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
