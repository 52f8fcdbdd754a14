import { execInMachine, findMachine } from '../index.ts';
import type { LabMachine, LabOptions, MachineRef } from '../types.ts';
import * as baseline from './baseline.ts';
import { collectState } from './collect.ts';
import { compareStates } from './compare.ts';
import { compareFiles, lookAtFiles } from './files.ts';
import { readDiffRules, withoutRules } from './rules.ts';
import type { MachineDiff } from './types.ts';

export type { MachineSnapshot } from './baseline.ts';
export type { Difference, MachineDiff } from './types.ts';

/** How a machine is compared. */
export interface DiffOptions extends LabOptions {
  /** With what. Default: the baseline that was taken after its first boot. */
  readonly since?: baseline.MachineSnapshot;
  /** Leaves out what may remain after a delete. */
  readonly ignoreRemains?: boolean;
}

/** All of a machine at this moment, to be compared with later. */
export async function captureMachine(machine: MachineRef, options: LabOptions = {}): Promise<baseline.MachineSnapshot> {
  return baseline.captureMachine(await findMachine(machine, options), execInMachine);
}

/** What changed on a machine. What a machine does by itself (timers, journals, passing ports) is no change. */
export async function diffMachine(machine: MachineRef, options: DiffOptions = {}): Promise<MachineDiff> {
  const found: LabMachine = await findMachine(machine, options);
  const before = options.since ?? (await baseline.readBaseline(found));
  const rules = await readDiffRules();
  const state = await collectState(found, execInMachine);
  const files = await compareFiles(found, before.files, await lookAtFiles(found, false));
  const { differences, unseen } = compareStates(before.state, state);
  const all = withoutRules([...files, ...differences], rules.noise);
  const left = options.ignoreRemains ? withoutRules(all, rules.remains) : all;
  return {
    machine: found.name,
    since: new Date(before.files.at).toISOString(),
    differences: left,
    unseen,
    remains: all.length - left.length,
  };
}
