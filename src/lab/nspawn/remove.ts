import { existsSync, lstatSync, readFileSync, realpathSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import { leaveLab, type Member, memberIn, withBox } from './box.ts';
import { removeLink } from './network.ts';
import {
  cgroupsOf,
  type LabRecord,
  labDir,
  launcherGroup,
  memberOf,
  NETWORK_GROUP,
  REPOSITORY_GROUP,
  readRecord,
  writeRecord,
} from './record.ts';
import { must } from './run.ts';
import type { Work } from './work.ts';

/** Removes everything a lab made, in an order that can be interrupted anywhere: the record goes last. */
export async function removeLab(work: Work, name: string): Promise<boolean> {
  const dir = labDir(work.places, name);
  if (!isThere(dir)) return false;
  const record = usableRecord(work, name);
  if (record) writeRecord(work.places, { ...record, phase: 'removing' });
  // What the box knows of it is enough to find all that runs, should the lab's own record be torn.
  const member = record ? memberOf(work.places, record) : memberIn(dir);
  if (member) await removeMade(member, record?.machines.map((one) => one.name) ?? [], work.lock.fd);
  await unmountBelow(dir, work.lock.fd);
  const signal = work.signal && { signal: work.signal };
  await withBox({ ...signal, onWait: () => work.report({ type: 'waiting', for: 'box' }) }, async (lock) => {
    // Without its directory a lab would not be found again: what the box keeps for it goes first.
    await leaveLab(dir, lock);
    await rm(dir, { recursive: true, force: true });
  });
  for (const machine of record?.machines ?? []) work.machine(machine.name, 'removed');
  return true;
}

/** Removes the directory of labs when the last one is gone. */
export function removeLabsDir(labs: string): void {
  try {
    rmdirSync(labs);
  } catch {
    // There are others.
  }
}

/** The record if it is this lab's own and can be read. */
function usableRecord(work: Work, name: string): LabRecord | undefined {
  if (lstatSync(labDir(work.places, name)).isSymbolicLink()) return undefined;
  try {
    return readRecord(work.places, name);
  } catch {
    return undefined;
  }
}

/** Ends all processes, the launchers first: they would start their machines again. Without a record all at once, and again. */
async function removeMade(lab: Member, machines: readonly string[], lock: number): Promise<void> {
  const groups = cgroupsOf(lab);
  const order = [[...machines.map(launcherGroup), REPOSITORY_GROUP], [...machines, NETWORK_GROUP], ['.']];
  for (const members of order) {
    if (!(await groups.kill(members))) throw kubexmError('KX6018', { name: lab.name, what: members.join(', ') });
  }
  if (!(await groups.remove('all'))) throw kubexmError('KX6018', { name: lab.name, what: 'its control groups' });
  await removeLink(lab, lock);
}

/**
 * A lab mounts nothing on the box itself, but somebody may have mounted something in its directory, and what is mounted is not
 * the lab's to remove. The kernel knows mounts by their real paths. A lab that is a link is only a link: what it leads to is
 * somebody else's.
 */
async function unmountBelow(dir: string, lock: number): Promise<void> {
  if (lstatSync(dir).isSymbolicLink()) return;
  const real = join(realpathSync(dirname(dir)), basename(dir));
  const below = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => unescaped(line.split(' ')[4] ?? ''))
    .filter((path) => path === real || path.startsWith(`${real}/`));
  for (const path of below.reverse()) await must('umount', ['-l', '--no-canonicalize', path], { lock });
}

/** Also as a link that leads nowhere. */
function isThere(path: string): boolean {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function unescaped(path: string): string {
  return path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
