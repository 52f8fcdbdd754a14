import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram, bundle } from '../lib/bundle.ts';
import { writeConfig } from '../lib/config.ts';
import { type BenchHosts, noHosts, withHosts } from '../lib/hosts.ts';
import { runKubexm } from '../lib/kubexm.ts';
import { runChild, runProcess } from '../lib/process.ts';
import { atLeast, info, type Section } from '../lib/report.ts';
import { memoryDirectory, withScratch } from '../lib/scratch.ts';
import { interleave, ratios, sampleOf } from '../lib/stats.ts';

const MB = 500;
const BYTES = MB * 1_000_000;
const HOSTS = 5;
const ROUNDS = 5;
const PLACE = '/srv/upload';

type Send = (count: number) => () => Promise<number>;

/** Large files to one host and to several at once, against scp. */
export const upload: Section = {
  name: 'upload',
  title: 'Uploads',
  problem: noHosts,
  async run() {
    await buildProgram();
    const { path, inMemory } = memoryDirectory(BYTES * (HOSTS + 2));
    return await withScratch(
      (dir) => withHosts(HOSTS, async (hosts) => measure(hosts, dir, inMemory ? 'in memory' : 'on disk')),
      path,
    );
  },
};

async function measure(hosts: BenchHosts, dir: string, where: string) {
  const { source, sha256 } = await makeFile(dir);
  const ours = await kubexm(hosts, source, sha256);
  const step = await uploadStep(hosts, source, sha256);
  const scp = copy(hosts, source, []);
  const gcm = copy(hosts, source, ['-c', 'aes128-gcm@openssh.com']);
  const turns = await interleave(ROUNDS, {
    oneScp: scp(1),
    one: ours(1),
    oneGcm: gcm(1),
    oneStep: step(1),
    allScp: scp(HOSTS),
    all: ours(HOSTS),
    allGcm: gcm(HOSTS),
    allStep: step(HOSTS),
  });
  const unit = 'MB/s';
  const rows = (name: string, one: string, all: string, [a, b, c, d]: readonly (readonly number[])[]) => [
    info(`${name}: kubexm`, sampleOf(a ?? []), unit, 0),
    info(`${name}: ${one}`, sampleOf(b ?? []), unit, 0),
    info(`${name}: ${one} with AES-GCM`, sampleOf(c ?? []), unit, 0),
    info(`${name}: an upload step of a run`, sampleOf(d ?? []), unit, 0),
    atLeast(`${name}: of ${all}`, 1, ratios(a ?? [], b ?? []), '×', 2),
  ];
  const speed = "scp's speed";
  return {
    rows: [
      ...rows('one host', 'scp', speed, [turns.one, turns.oneScp, turns.oneGcm, turns.oneStep]),
      ...rows(`${HOSTS} hosts at once`, `${HOSTS} × scp`, speed, [
        turns.all,
        turns.allScp,
        turns.allGcm,
        turns.allStep,
      ]),
    ],
    how: [
      `${MB} MB of random bytes, the files at both ends ${where}; ${ROUNDS} rounds in turns, the file removed from the hosts before each. ` +
        'For several hosts the rate is that of all together. scp runs with its own defaults, and for information with the ' +
        'cipher that kubexm prefers, one process a host, from its start to its end. kubexm is one process for all hosts, ' +
        'measured from the login until the last host is left; the host compares the sha256 of what it got before the file ' +
        'gets its name, scp compares nothing.',
      'An upload step of a run, for information, is measured from the last login until the run is finished: beside the ' +
        'transfer that is the lock, planning, the check, the before-image, the check afterwards, the journal and the release.',
    ],
  };
}

async function makeFile(dir: string): Promise<{ readonly source: string; readonly sha256: string }> {
  const source = join(dir, 'source');
  const handle = await open(source, 'w');
  for (let i = 0; i < MB; i++) await handle.write(randomBytes(1_000_000));
  await handle.close();
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(source)) hash.update(chunk as Buffer);
  return { source, sha256: hash.digest('hex') };
}

/** Removes the file everywhere; nobody may find that it is there already. */
async function clear(hosts: BenchHosts): Promise<void> {
  await Promise.all(hosts.hosts.map((host) => host.exec(`rm -rf ${PLACE}; sync`)));
}

async function kubexm(hosts: BenchHosts, source: string, sha256: string): Promise<Send> {
  const file = await bundle('upload', hosts.dir);
  const login = {
    address: hosts.address,
    user: hosts.user,
    key: hosts.keyFile,
    known: hosts.knownHosts,
    dir: hosts.dir,
  };
  return (count) => async () => {
    await clear(hosts);
    const ports = hosts.hosts.slice(0, count).map((host) => host.port);
    const what = { ports: ports.join(), source, sha256, path: PLACE };
    const { sendSeconds } = await runChild<{ readonly sendSeconds: number }>(file, { ...login, ...what });
    return (MB * count) / sendSeconds;
  };
}

async function uploadStep(hosts: BenchHosts, source: string, sha256: string): Promise<Send> {
  const file = await bundle('run', hosts.dir);
  return (count) => async () => {
    await clear(hosts);
    const base = mkdtempSync(join(hosts.dir, 'kubexm-'));
    const config = writeConfig(base, { ...hosts, hosts: hosts.hosts.slice(0, count) });
    const { marks } = await runKubexm(file, { config, base, root: PLACE, source, sha256 }, { changed: count });
    return (MB * count) / ((marks['run-finished'] - marks['host-connected']) / 1000);
  };
}

function copy(hosts: BenchHosts, source: string, more: readonly string[]): Send {
  const options = [
    '-q',
    '-F',
    '/dev/null',
    '-i',
    hosts.keyFile,
    '-o',
    `UserKnownHostsFile=${hosts.knownHosts}`,
    ...more,
  ];
  return (count) => async () => {
    await clear(hosts);
    const started = performance.now();
    await Promise.all(
      hosts.hosts
        .slice(0, count)
        .map((host) =>
          runProcess('scp', [...options, '-P', `${host.port}`, source, `${hosts.user}@${hosts.address}:${PLACE}`]),
        ),
    );
    return (MB * count) / ((performance.now() - started) / 1000);
  };
}
