import {
  editFstab,
  freeUnits,
  lookAtSwap,
  PUT_IN,
  SWAP_FUNCTIONS,
  type SwapSpace,
  seenSwap,
  TAKE_OUT,
  TURN_OFF,
  turnOn,
} from '../../host/os/swap.ts';
import { type Script, sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { withFunctions } from './lib/shell.ts';

/** Swap space of a machine. */
export interface Swap {
  readonly state: 'off';
}

interface Before {
  readonly on: readonly SwapSpace[];
  /** Whether lines of fstab get taken out of force. */
  readonly fstab: boolean;
  readonly generated: readonly string[];
  readonly enabled: readonly string[];
}

const START: Script = sh`kxg_new "$t"; t=$kxg_file`;
const PLACE: Script = sh`kxg_place "$t" "$p"`;

/** Turns swap off, now and for every start. Only the swap lines of fstab change, and they stay readable. */
export const swap = defineStep<Swap>()({
  kind: 'swap',
  description: 'Swap off, now and at every start: lines of fstab out of force, swap units disabled or masked.',
  title: () => 'swap off',
  probe: () => lookAtSwap(),
  judge: (output) => {
    const seen = seenSwap(output.stdout);
    const changes: readonly Change[] = [
      ...seen.on.map(({ name }) => ({ what: `swap ${name}`, from: 'on', to: 'off' })),
      ...seen.fstab.map((line) => ({ what: '/etc/fstab', from: line, to: 'out of force' })),
      ...seen.generated.map((unit) => ({ what: unit, from: 'started by itself', to: 'masked' })),
      ...seen.enabled.map((unit) => ({ what: unit, from: 'enabled', to: 'disabled' })),
    ];
    if (changes.length === 0) return satisfied();
    const { on, fstab, generated, enabled } = seen;
    return needed<Before>({ on, fstab: fstab.length > 0, generated, enabled }, changes);
  },
  apply: () => withFunctions('write', editFstab(TAKE_OUT, START, PLACE), TURN_OFF),
  timeoutSeconds: 600,
  estimateSeconds: 3,
  owns: () => ['swap:all'],
  revert: (_host, _want, before) =>
    withFunctions(
      'write',
      SWAP_FUNCTIONS,
      before.fstab ? editFstab(PUT_IN, START, PLACE) : sh``,
      before.fstab || before.generated.length + before.enabled.length > 0
        ? freeUnits(before.generated, before.enabled)
        : sh``,
      turnOn(before.on),
    ),
  example: { state: 'off' },
});
