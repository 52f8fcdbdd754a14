import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../local/files.ts';
import { kubexmError } from '../../model/errors/index.ts';
import type { LabMachine } from '../types.ts';
import { collectState, type MachineExec } from './collect.ts';
import type { FileEntry } from './file-entry.ts';
import { type FileSnapshot, lookAtFiles } from './files.ts';
import type { CollectedState, Facet, StateSection, Unseen } from './types.ts';

/** What a machine was like at one moment: its files and its state. */
export interface MachineSnapshot {
  readonly machine: string;
  readonly files: FileSnapshot;
  readonly state: CollectedState;
}

/** The form of the file; another one is refused. */
const FORM = 1;

interface Stored {
  readonly form: number;
  readonly machine: string;
  readonly at: number;
  readonly files: readonly (readonly [string, FileEntry])[];
  readonly sections: readonly (readonly [StateSection, readonly (readonly [string, Facet])[]])[];
  readonly unseen: readonly Unseen[];
}

/** Looks at all of a running machine, once it has settled. */
export async function captureMachine(machine: LabMachine, exec: MachineExec): Promise<MachineSnapshot> {
  const state = await collectState(machine, exec);
  return { machine: machine.name, files: await lookAtFiles(machine, true), state };
}

/** Records the state of a machine as the baseline for later comparisons, replacing an earlier one. */
export async function takeBaseline(machine: LabMachine, exec: MachineExec): Promise<void> {
  const { files, state } = await captureMachine(machine, exec);
  const stored: Stored = {
    form: FORM,
    machine: machine.name,
    at: files.at,
    files: [...files.files],
    sections: [...state.sections].map(([section, entries]) => [section, [...entries]]),
    unseen: state.unseen,
  };
  const file = baselineFile(machine);
  // It knows digests of passwords and the paths of all files: nobody else's business.
  await replaceFile(file, `${JSON.stringify(stored)}\n`, { isNote: true });
}

/** The baseline of a machine. */
export async function readBaseline(machine: LabMachine): Promise<MachineSnapshot> {
  const file = baselineFile(machine);
  const stored = await readStored(machine, file);
  if (stored.form !== FORM) throw kubexmError('KX6602', { file, reason: `its form is ${stored.form}` });
  return {
    machine: stored.machine,
    files: { at: stored.at, files: new Map(stored.files) },
    state: {
      sections: new Map(stored.sections.map(([section, entries]) => [section, new Map(entries)])),
      unseen: stored.unseen,
    },
  };
}

async function readStored(machine: LabMachine, file: string): Promise<Stored> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Stored;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing) throw kubexmError('KX6601', { machine: machine.name, lab: machine.lab }, { cause: error });
    throw kubexmError('KX6602', { file, reason: (error as Error).message }, { cause: error });
  }
}

function baselineFile({ dir }: LabMachine): string {
  return join(dir, 'baseline');
}
