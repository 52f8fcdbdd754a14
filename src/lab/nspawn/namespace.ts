import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubexmError } from '../../model/errors/index.ts';
import { cgroupsOf, type LabRecord, launcherGroup, NETWORK_GROUP } from './record.ts';
import { programEnv } from './run.ts';

/** The bridge in a lab's network. */
export const BRIDGE = 'lab0';

const START_MS = 10_000;
/** Enters the group before anything else, then lets go of the lab's lock. */
const ENTER = 'echo $$ >"$1/cgroup.procs" || exit 1; exec 3>&-; shift; exec "$@"';

/** The process whose network namespace is the lab's: it only sleeps, and with the last in it the kernel removes all links. */
export function networkProcess(record: LabRecord): number | undefined {
  return cgroupsOf(record).processes(NETWORK_GROUP)[0];
}

/** Starts that process, if it does not run. */
export async function startNetwork(record: LabRecord, lock: number): Promise<number> {
  const pid = networkProcess(record) ?? keepNetwork(record, lock);
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(5)) {
    if (pid !== undefined && isReady(pid)) return pid;
  }
  throw kubexmError('KX6020', { command: 'unshare', reason: 'no network namespace' });
}

/** A command in a network namespace, as the arguments of `run`. */
export function inNetwork(pid: number, words: readonly string[]): [string, readonly string[]] {
  return ['nsenter', ['-t', String(pid), '--net', ...words]];
}

function keepNetwork(record: LabRecord, lock: number): number | undefined {
  const groups = cgroupsOf(record);
  groups.makeHelper(NETWORK_GROUP);
  // Should it have been killed while machines run: their launchers are still in its namespace.
  const member = record.machines.flatMap((machine) => groups.processes(launcherGroup(machine.name)))[0];
  const [enter, words] = member === undefined ? ['unshare', ['--net']] : inNetwork(member, []);
  const child = spawn(
    'sh',
    ['-c', ENTER, 'network', groups.main(NETWORK_GROUP), enter, ...words, 'sleep', 'infinity'],
    {
      cwd: '/',
      detached: true,
      env: programEnv(),
      stdio: ['ignore', 'ignore', 'ignore', lock],
    },
  );
  child.on('error', () => undefined);
  child.unref();
  return child.pid;
}

/** Whether it has become what it is to be: in its group, and in a network that is not the box's. */
function isReady(pid: number): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n' &&
      readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net')
    );
  } catch {
    return false;
  }
}
