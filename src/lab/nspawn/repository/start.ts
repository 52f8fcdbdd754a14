import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { kubexmError } from '../../../model/errors/index.ts';
import { hasListener } from '../processes.ts';
import { boxNetwork, cgroupsOf, type LabRecord, labDir, REPOSITORY_GROUP } from '../record.ts';
import { APT_HELPER } from '../requirements.ts';
import { programEnv } from '../run.ts';
import type { Work } from '../work.ts';
import type { RepositoryConfig } from './serve.ts';

const FIRST_PORT = 3142;
const PORTS = 100;
const START_MS = 15_000;
/** Enters the group before anything else, then lets go of the lab's lock. */
const ENTER = 'echo $$ >"$1/cgroup.procs" || exit 1; exec 3>&-; shift; exec "$@"';

/** Starts the process that serves packages, if it does not run. */
export async function startRepository(work: Work, record: LabRecord): Promise<void> {
  const groups = cgroupsOf(record);
  const { address } = boxNetwork(record);
  if (groups.processes(REPOSITORY_GROUP).length > 0 && (await answers(address, record.port))) return;
  await groups.kill([REPOSITORY_GROUP]);
  groups.makeHelper(REPOSITORY_GROUP);
  const dir = labDir(work.places, record.name);
  const config: RepositoryConfig = {
    address,
    port: record.port,
    cache: join(work.places.cache, 'packages'),
    sources: record.sources.map((source) => source.uri),
    aptHelper: APT_HELPER,
  };
  writeFileSync(join(dir, 'repository.json'), `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  const log = openSync(join(dir, 'repository.log'), 'a', 0o600);
  const node = [
    process.execPath,
    '--max-old-space-size=48',
    '--max-semi-space-size=1',
    program(),
    join(dir, 'repository.json'),
  ];
  const child = spawn('sh', ['-c', ENTER, 'repository', groups.main(REPOSITORY_GROUP), ...node], {
    cwd: '/',
    detached: true,
    env: programEnv(),
    stdio: ['ignore', log, log, work.lock.fd],
  });
  closeSync(log);
  let ended = false;
  child.on('error', () => {
    ended = true;
  });
  child.on('exit', () => {
    ended = true;
  });
  child.unref();
  for (const deadline = Date.now() + START_MS; !ended && Date.now() < deadline; await sleep(30, undefined, work)) {
    if (await answers(address, record.port)) return;
  }
  const said = readFileSync(join(dir, 'repository.log'), 'utf8').trim();
  throw kubexmError(
    'KX6022',
    { name: record.name, reason: said.split('\n').find((line) => line.includes('Error')) ?? 'no answer' },
    { detail: said.slice(-2000) },
  );
}

/** A port on which nobody listens for all addresses of this box. Other labs listen on addresses of their own. */
export function freePort(): number {
  const listeners = ['tcp', 'tcp6'].map((name) => join('/proc/net', name)).filter((file) => existsSync(file));
  const texts = listeners.map((file) => readFileSync(file, 'utf8'));
  const ports = Array.from({ length: PORTS }, (_, i) => FIRST_PORT + i);
  return ports.find((port) => !texts.some((text) => hasListener(text, port, true))) ?? FIRST_PORT;
}

/** The program: beside the bundle where there is one, else the source itself. */
function program(): string {
  const bundled = fileURLToPath(new URL('./lab-repository.mjs', import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('./main.ts', import.meta.url));
}

function answers(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1000 });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
