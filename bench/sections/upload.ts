import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram, bundle } from '../lib/bundle.ts';
import { writeConfig } from '../lib/config.ts';
import { type BenchHosts, noHosts, withHosts } from '../lib/hosts.ts';
import { runKubexm } from '../lib/kubexm.ts';
import { runProcess } from '../lib/process.ts';
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
  const scp = copy(hosts, source, []);
  const gcm = copy(hosts, source, ['-c', 'aes128-gcm@openssh.com']);
  const turns = await interleave(ROUNDS, {
    oneScp: scp(1),
    one: ours(1),
    oneGcm: gcm(1),
    allScp: scp(HOSTS),
    all: ours(HOSTS),
    allGcm: gcm(HOSTS),
  });
  const unit = 'MB/s';
  return {
    rows: [
      info('one host: kubexm', sampleOf(turns.one), unit, 0),
      info('one host: scp', sampleOf(turns.oneScp), unit, 0),
      info('one host: scp with AES-GCM', sampleOf(turns.oneGcm), unit, 0),
      atLeast("one host: share of scp's speed", 1, ratios(turns.one, turns.oneScp), '×', 2),
      info(`${HOSTS} hosts at once: kubexm`, sampleOf(turns.all), unit, 0),
      info(`${HOSTS} hosts at once: ${HOSTS} × scp`, sampleOf(turns.allScp), unit, 0),
      info(`${HOSTS} hosts at once: ${HOSTS} × scp with AES-GCM`, sampleOf(turns.allGcm), unit, 0),
      atLeast(`${HOSTS} hosts at once: share of scp's speed`, 1, ratios(turns.all, turns.allScp), '×', 2),
    ],
    how: [
      `${MB} MB of random bytes, the files at both ends ${where}; ${ROUNDS} rounds in turns, the file removed from the hosts before each. ` +
        'For several hosts the rate is that of all together. scp runs with its own defaults, and for information with the ' +
        'cipher that kubexm prefers, one process a host, from its start to its end. kubexm is measured from the start of its ' +
        'run, when it is logged in and knows the hosts, until the run is finished: that includes lock, check, before-image, ' +
        'the transfer, a sha256 of the whole file on the host, the check that follows, journal and release. scp checks nothing.',
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
  const file = await bundle('run', hosts.dir);
  const bases = new Map<number, string>();
  for (const count of [1, HOSTS]) {
    const base = join(hosts.dir, `kubexm-${count}`);
    mkdirSync(base);
    writeConfig(base, { ...hosts, hosts: hosts.hosts.slice(0, count) });
    bases.set(count, base);
  }
  return (count) => async () => {
    await clear(hosts);
    const base = bases.get(count) ?? '';
    const settings = { config: join(base, 'cluster.yaml'), base, root: PLACE, source, sha256 };
    const { marks } = await runKubexm(file, settings, { changed: count });
    rmSync(join(base, '.kubexm'), { recursive: true, force: true });
    return (MB * count) / ((marks['run-finished'] - marks['run-started']) / 1000);
  };
}

function copy(hosts: BenchHosts, source: string, more: readonly string[]): Send {
  const options = ['-q', '-F', '/dev/null', '-i', hosts.keyFile, '-o', `UserKnownHostsFile=${hosts.knownHosts}`, ...more];
  return (count) => async () => {
    await clear(hosts);
    const started = performance.now();
    await Promise.all(
      hosts.hosts
        .slice(0, count)
        .map((host) => runProcess('scp', [...options, '-P', `${host.port}`, source, `${hosts.user}@${hosts.address}:${PLACE}`])),
    );
    return (MB * count) / ((performance.now() - started) / 1000);
  };
}
