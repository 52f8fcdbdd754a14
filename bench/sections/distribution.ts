import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execInMachine, type Lab, labConfig } from '../../src/lab/index.ts';
import { labProblem, withLab } from '../../test/lab/fixture.ts';
import { buildProgram, bundle } from '../lib/bundle.ts';
import { runKubexm } from '../lib/kubexm.ts';
import { runProcess } from '../lib/process.ts';
import { atLeast, info, type Row, type Section } from '../lib/report.ts';
import { withScratch } from '../lib/scratch.ts';
import { interleave, ratios, sampleOf } from '../lib/stats.ts';

const FILES = 8;
const FILE_MB = 50;
const MACHINES = [1, 3, 5] as const;
const ROUNDS = 3;
const PLACE = '/srv/upload';

type Send = (count: number) => () => Promise<number>;

/** What a cluster is installed from, on its way to lab machines, against scp in a loop. */
export const distribution: Section = {
  name: 'distribution',
  title: 'Distribution to lab machines',
  problem: labProblem,
  async run() {
    await buildProgram();
    const lab = await withLab(Math.max(...MACHINES));
    try {
      const machines = await lab.look();
      return await withScratch((dir) => measure(machines, dir));
    } finally {
      await lab.close();
    }
  },
};

async function measure(lab: Lab, dir: string) {
  const files = makeFiles(dir);
  const ours = await kubexm(lab, dir, files);
  const theirs = scpLoop(lab, dir, files);
  const contestants = MACHINES.flatMap((count): [string, () => Promise<number>][] => [
    [`scp ${count}`, theirs(count)],
    [`kubexm ${count}`, ours(count)],
  ]);
  const turns: Readonly<Record<string, readonly number[]>> = await interleave(ROUNDS, Object.fromEntries(contestants));
  return {
    rows: MACHINES.flatMap((count) => rowsOf(count, turns[`kubexm ${count}`] ?? [], turns[`scp ${count}`] ?? [])),
    how: [
      `${FILES} files of ${FILE_MB} MB of random bytes to systemd-nspawn machines of a lab, on the disk of this box at both ends; ` +
        `${ROUNDS} rounds in turns, the files removed from the machines before each. scp runs once for each machine, one after the ` +
        'other, with all files. kubexm runs a pipeline of upload steps, as creating a cluster does, measured from before the first ' +
        'connection until the run is finished: facts, locks, checks, intents, and every file is read on its machine and compared ' +
        'by digest before it gets its name. scp compares nothing.',
    ],
  };
}

function rowsOf(count: number, ours: readonly number[], theirs: readonly number[]): readonly Row[] {
  const name = `${count} machine${count === 1 ? '' : 's'}`;
  const speed = ratios(theirs, ours);
  return [
    info(`${name}: kubexm`, sampleOf(ours), 's', 1),
    info(`${name}: scp in a loop`, sampleOf(theirs), 's', 1),
    // For a single one there is nothing to do at the same time.
    count === 1 ? info(`${name}: of scp's speed`, speed, '×', 2) : atLeast(`${name}: of scp's speed`, 1, speed, '×', 2),
  ];
}

interface Source {
  readonly path: string;
  readonly sha256: string;
}

function makeFiles(dir: string): readonly Source[] {
  return Array.from({ length: FILES }, (_, i) => {
    const data = randomBytes(FILE_MB * 1_000_000);
    const path = join(dir, `file-${i + 1}`);
    writeFileSync(path, data);
    return { path, sha256: createHash('sha256').update(data).digest('hex') };
  });
}

/** Removes the files everywhere; nobody may find that they are there already. */
async function clear(lab: Lab): Promise<void> {
  await Promise.all(lab.machines.map((machine) => execInMachine(machine, `rm -rf ${PLACE}* /srv/file-*; sync`)));
}

async function kubexm(lab: Lab, dir: string, files: readonly Source[]): Promise<Send> {
  const program = await bundle('run', dir);
  return (count) => async () => {
    await clear(lab);
    const base = mkdtempSync(join(dir, 'kubexm-'));
    const config = join(base, 'cluster.yaml');
    writeFileSync(config, labConfig({ ...lab, machines: lab.machines.slice(0, count) }));
    const source = files.map(({ path }) => path).join();
    const sha256 = files.map((file) => file.sha256).join();
    const expected = { changed: count * FILES };
    const { marks } = await runKubexm(program, { config, base, root: PLACE, source, sha256 }, expected);
    return marks['run-finished'] / 1000;
  };
}

function scpLoop(lab: Lab, dir: string, files: readonly Source[]): Send {
  const known = `UserKnownHostsFile=${join(dir, 'known_hosts')}`;
  const options = ['-q', '-F', '/dev/null', '-o', known, '-o', 'StrictHostKeyChecking=accept-new'];
  const paths = files.map(({ path }) => path);
  return (count) => async () => {
    await clear(lab);
    const started = performance.now();
    for (const { address, sshKeyPath } of lab.machines.slice(0, count)) {
      await runProcess('scp', [...options, '-i', sshKeyPath, ...paths, `${lab.user}@${address}:/srv/`]);
    }
    return (performance.now() - started) / 1000;
  };
}
