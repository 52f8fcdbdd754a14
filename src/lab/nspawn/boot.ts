import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectSsh } from '../../connector/ssh/client.ts';
import { kubexmError } from '../../model/errors/index.ts';
import type { LabMachine } from '../types.ts';
import { enterLab, prepareBox, withBox } from './box.ts';
import { lookAt, writeLauncher } from './machine.ts';
import { writeModules } from './modules.ts';
import { inNetwork } from './namespace.ts';
import { makeNetwork } from './network.ts';
import { firstProcess, listensOnSsh } from './processes.ts';
import {
  cgroupsOf,
  type LabRecord,
  labDir,
  launcherGroup,
  type MachineRecord,
  machinePaths,
  memberOf,
} from './record.ts';
import { startRepository } from './repository/start.ts';
import { programEnv } from './run.ts';
import type { Work } from './work.ts';

// Numbers of SIGRTMIN+4 and +5 on Linux: systemd's words for poweroff and reboot.
const POWEROFF = 38;
const REBOOT = 39;
const STOP_MS = 30_000;
const READY_MS = 60_000;
/** On top, for each machine that starts at the same time. */
const READY_MS_EACH = 6000;

/**
 * Makes what machines need around them, whatever of it is not there: after a boot of the box all of it. Answers with a process
 * in the lab's network.
 */
async function makeSurroundings(work: Work, record: LabRecord): Promise<number> {
  const dir = labDir(work.places, record.name);
  const signal = work.signal && { signal: work.signal };
  await withBox({ ...signal, onWait: () => work.report({ type: 'waiting', for: 'box' }) }, async (lock) => {
    enterLab(memberOf(work.places, record));
    await prepareBox(lock);
  });
  const network = await makeNetwork(record, work.lock.fd);
  await writeModules(join(dir, 'modules'), work.lock.fd);
  await startRepository(work, record);
  return network;
}

/** Starts machines at once; waits until somebody can log in to each. */
export async function startMachines(work: Work, record: LabRecord, machines: readonly MachineRecord[]): Promise<void> {
  const network = await makeSurroundings(work, record);
  const idle = machines.filter((machine) => lookAt(work.places, record, machine).state !== 'running');
  for (const machine of idle) {
    await clearGroups(record, machine);
    launch(work, record, machine, network);
  }
  await settle(idle.map((machine) => waitReady(work, record, machine, READY_MS + idle.length * READY_MS_EACH)));
}

/** Shuts machines down; one that does not go is cut off. */
export async function stopMachines(work: Work, record: LabRecord, machines: readonly MachineRecord[]): Promise<void> {
  await settle(
    machines.map(async (machine) => {
      const groups = cgroupsOf(record);
      const first = firstProcess(groups.processes(machine.name));
      if (first !== undefined) {
        work.machine(machine.name, 'stopping');
        signalTo(first, POWEROFF);
        const deadline = Date.now() + STOP_MS;
        while (groups.processes(machine.name).length > 0 && Date.now() < deadline) await sleep(50, undefined, work);
      }
      await clearGroups(record, machine);
      work.machine(machine.name, 'stopped');
    }),
  );
}

/** Cuts machines' power: their first process dies, and the kernel ends all others with it. */
export async function cutMachines(work: Work, record: LabRecord, machines: readonly MachineRecord[]): Promise<void> {
  await settle(
    machines.map(async (machine) => {
      const first = firstProcess(cgroupsOf(record).processes(machine.name));
      if (first !== undefined) signalTo(first, 'SIGKILL');
      await clearGroups(record, machine);
      work.machine(machine.name, 'stopped');
    }),
  );
}

/** Reboots machines as `reboot` does inside, and waits until somebody can log in again. */
export async function rebootMachines(work: Work, record: LabRecord, machines: readonly MachineRecord[]): Promise<void> {
  const groups = cgroupsOf(record);
  const firsts = machines.map((machine) => {
    const first = firstProcess(groups.processes(machine.name));
    if (first === undefined) throw kubexmError('KX6014', { machine: machine.name });
    return { machine, first };
  });
  const waitMs = READY_MS + machines.length * READY_MS_EACH;
  const stuck: MachineRecord[] = [];
  await settle(
    firsts.map(async ({ machine, first }) => {
      work.machine(machine.name, 'stopping');
      signalTo(first, REBOOT);
      const deadline = Date.now() + STOP_MS;
      while (existsSync(`/proc/${first}`) && Date.now() < deadline) await sleep(50, undefined, work);
      // Nobody starts it again where its launcher was killed, or where it hangs.
      if (existsSync(`/proc/${first}`) || groups.processes(launcherGroup(machine.name)).length === 0) {
        await clearGroups(record, machine);
        stuck.push(machine);
      } else {
        work.machine(machine.name, 'booting');
        await waitReady(work, record, machine, waitMs);
      }
    }),
  );
  if (stuck.length > 0) await startMachines(work, record, stuck);
}

/** Ends whatever of a machine still runs, the launcher first: it would start the machine again. */
async function clearGroups(record: LabRecord, machine: MachineRecord): Promise<void> {
  const groups = cgroupsOf(record);
  const members = [launcherGroup(machine.name), machine.name];
  const gone =
    (await groups.kill(members.slice(0, 1))) && (await groups.kill(members)) && (await groups.remove(members));
  if (!gone) throw kubexmError('KX6018', { name: record.name, what: machine.name });
}

function launch(work: Work, record: LabRecord, machine: MachineRecord, network: number): void {
  const groups = cgroupsOf(record);
  groups.makeMachine(machine.name, record.memoryBytes);
  groups.makeHelper(launcherGroup(machine.name));
  writeLauncher(work.places, record, machine);
  work.machine(machine.name, 'booting');
  const { launch: script, dir } = machinePaths(work.places, record.name, machine.name);
  const [command, words] = inNetwork(network, ['unshare', '--mount', '--propagation', 'private', 'sh', script]);
  const child = spawn(command, words, {
    cwd: dir,
    detached: true,
    env: programEnv(),
    stdio: ['ignore', 'ignore', 'ignore', work.lock.fd],
  });
  child.on('error', () => undefined);
  child.unref();
}

/** Waits without bothering the machine until its SSH server listens; then logs in, once if it works. */
async function waitReady(work: Work, record: LabRecord, machine: MachineRecord, timeoutMs: number): Promise<void> {
  const groups = cgroupsOf(record);
  const began = Date.now();
  let reason = 'it did not start';
  let first: number | undefined;
  for (; Date.now() - began < timeoutMs; await sleep(60, undefined, work)) {
    if (first === undefined || !existsSync(`/proc/${first}`)) first = firstProcess(groups.processes(machine.name));
    if (first === undefined) {
      // Time to enter its group is all that a launcher needs.
      if (Date.now() - began > 3000 && groups.processes(launcherGroup(machine.name)).length === 0) break;
      continue;
    }
    reason = 'its SSH server does not listen';
    if (!listensOnSsh(first)) continue;
    const seen = lookAt(work.places, record, machine);
    const refused = seen.partitioned ? undefined : await login(seen, record, work);
    if (refused === undefined) {
      work.machine(machine.name, 'ready');
      return;
    }
    reason = refused;
  }
  const seconds = Math.round((Date.now() - began) / 1000);
  const detail = consoleTail(machinePaths(work.places, record.name, machine.name).console);
  throw kubexmError('KX6015', { machine: machine.name, seconds, reason }, { detail });
}

/** Why nobody is let in; undefined when somebody is. */
async function login(machine: LabMachine, record: LabRecord, work: Work): Promise<string | undefined> {
  try {
    const connection = await connectSsh(
      {
        name: machine.name,
        address: machine.address,
        port: 22,
        user: machine.user,
        auth: { privateKeyPath: machine.sshKeyPath },
        hostKey: [machine.hostKey],
        hostKeys: { pinFile: join(labDir(work.places, record.name), 'known_hosts') },
        bastions: [],
      },
      { timeoutMs: 20_000, ...(work.signal && { signal: work.signal }) },
    );
    try {
      const channel = await connection.exec('true');
      channel.stdout.resume();
      channel.stderr.resume();
      const { code } = await channel.exit;
      return code === 0 ? undefined : `a login ended with ${code}`;
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (work.signal?.aborted) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

function consoleTail(file: string): string {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
        .slice(-2000)
    : '';
}

function signalTo(pid: number, signal: number | NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

/** Waits for all of them, then fails as the first that failed. */
export async function settle(all: readonly Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(all)) if (one.status === 'rejected') throw one.reason;
}
