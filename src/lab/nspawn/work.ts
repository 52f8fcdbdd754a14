import { kubexmError } from '../../model/errors/index.ts';
import { isLabName } from '../names.ts';
import { labPlaces } from '../places.ts';
import type { LabOptions, LabPlaces, LabProgress } from '../types.ts';
import { type Lock, takeLock } from './lock.ts';
import { type LabRecord, labNames, lockPath, type MachineRecord, mustRead } from './record.ts';
import { checkBox } from './requirements.ts';

/** One call that changes a lab: nobody else does meanwhile. */
export interface Work {
  readonly places: LabPlaces;
  readonly lock: Lock;
  readonly signal?: AbortSignal;
  report(event: LabProgress): void;
  /** Tells what a machine does. */
  machine(name: string, state: Extract<LabProgress, { type: 'machine' }>['state']): void;
}

/** Runs with the lab's lock held. */
export async function withLab<T>(name: string, options: LabOptions, act: (work: Work) => Promise<T>): Promise<T> {
  checkBox();
  const places = labPlaces(options.env ?? process.env);
  // Names become paths that are removed.
  if (!isLabName(name)) throw kubexmError('KX6004', { name, names: labNames(places).join(', ') || '–' });
  const report = options.progress ?? (() => undefined);
  const since = Date.now();
  const signal = options.signal && { signal: options.signal };
  const lock = await takeLock(lockPath(places, name), {
    ...signal,
    onWait: () => report({ type: 'waiting', for: 'lab' }),
  });
  const machine: Work['machine'] = (one, state) =>
    report({ type: 'machine', machine: one, state, ms: Date.now() - since });
  try {
    return await act({ places, lock, report, machine, ...signal });
  } catch (error) {
    throw options.signal?.aborted ? options.signal.reason : error;
  } finally {
    // A lock on a lab that is not there would be all that is left of it.
    lock.release({ removeFile: true });
  }
}

/** The record of a lab that is whole. */
export function wholeLab(work: Work, name: string): LabRecord {
  const record = mustRead(work.places, name);
  if (record.phase !== 'ready') throw kubexmError('KX6013', { name, what: record.phase });
  return record;
}

/** The machines of these names. */
export function machinesOf(record: LabRecord, names: readonly string[]): readonly MachineRecord[] {
  return names.map((name) => {
    const machine = record.machines.find((one) => one.name === name);
    if (machine) return machine;
    throw kubexmError('KX6003', { name, names: record.machines.map((one) => one.name).join(', ') });
  });
}
