import { existsSync, readFileSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { kubexmError } from '../../model/errors/index.ts';
import { leaveLab, withBox } from './box.ts';
import { removeLinks } from './network.ts';
import {
  cgroupsOf,
  type LabRecord,
  labDir,
  launcherGroup,
  REPOSITORY_GROUP,
  readRecord,
  writeRecord,
} from './record.ts';
import { must } from './run.ts';
import type { Work } from './work.ts';

/** Removes everything a lab made, in an order that can be interrupted anywhere: the record goes last. */
export async function removeLab(work: Work, name: string): Promise<boolean> {
  const dir = labDir(work.places, name);
  if (!existsSync(dir)) return false;
  const record = readRecord(work.places, name);
  if (record) await removeMade(work, record);
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

async function removeMade(work: Work, record: LabRecord): Promise<void> {
  writeRecord(work.places, { ...record, phase: 'removing' });
  const groups = cgroupsOf(record);
  const machines = record.machines.map((one) => one.name);
  // Launchers first: they would start their machines again.
  const order = [[...machines.map(launcherGroup), REPOSITORY_GROUP], machines];
  for (const members of order) {
    if (!(await groups.kill(members))) throw kubexmError('KX6018', { name: record.name, what: members.join(', ') });
  }
  if (!(await groups.remove('all'))) throw kubexmError('KX6018', { name: record.name, what: 'its control groups' });
  await removeLinks(record, work.lock.fd);
}

/** A lab mounts nothing on the box itself, but somebody may have mounted something in its directory. */
async function unmountBelow(dir: string, lock: number): Promise<void> {
  const below = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => unescaped(line.split(' ')[4] ?? ''))
    .filter((path) => path.startsWith(`${dir}/`));
  for (const path of below.reverse()) await must('umount', ['-l', path], { lock });
}

function unescaped(path: string): string {
  return path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
