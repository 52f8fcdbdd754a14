import {
  editSelinux,
  lookAtSelinux,
  meansMode,
  type SelinuxMode,
  seenSelinux,
  setEnforce,
} from '../../host/os/selinux.ts';
import { sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';

/** How SELinux is to decide, now and at every start. */
export interface Selinux {
  readonly mode: SelinuxMode;
}

/** What SELinux does. A type, so that it is Json too. */
export type SelinuxResult = {
  readonly mode: SelinuxMode;
  /** The wanted mode holds fully only after a restart: SELinux cannot be switched on or off while the machine runs. */
  readonly restartNeeded: boolean;
};

interface Before {
  readonly now: SelinuxMode;
  readonly file: string;
}

const START = sh`kxg_new "$t"; t=$kxg_file`;
const PLACE = sh`kxg_place "$t" "$p"`;

function modeOf(want: Selinux): SelinuxMode {
  if (!['disabled', 'permissive', 'enforcing'].includes(want.mode))
    throw invalid(`${JSON.stringify(want.mode)} is no mode of SELinux`);
  return want.mode;
}

/** Whether what it does now is as near to the wanted mode as can be without a restart. */
function asNear(now: SelinuxMode, want: SelinuxMode): boolean {
  if (now === 'disabled') return true;
  return now === (want === 'enforcing' ? 'enforcing' : 'permissive');
}

/** Sets SELinux's mode. A machine without SELinux is as wanted, unless it is to enforce. */
export const selinux = defineStep<Selinux>()({
  kind: 'selinux',
  description: 'The mode of SELinux, now and in /etc/selinux/config; nothing on machines without it.',
  title: (want) => `SELinux ${want.mode}`,
  probe: () => lookAtSelinux(),
  judge: (output, want) => {
    const mode = modeOf(want);
    const seen = seenSelinux(output.stdout);
    const none = seen.now === 'disabled' && seen.file === undefined;
    const fileIsRight = seen.file === undefined ? mode !== 'enforcing' : meansMode(seen.file, mode);
    if (fileIsRight && asNear(seen.now, mode)) {
      return satisfied<SelinuxResult>({ mode: seen.now, restartNeeded: !none && seen.now !== mode });
    }
    const changes: Change[] = [];
    if (!asNear(seen.now, mode))
      changes.push({ what: 'SELinux', from: seen.now, to: mode === 'enforcing' ? mode : 'permissive' });
    if (!fileIsRight) changes.push({ what: 'SELinux at the next start', from: seen.file ?? 'not installed', to: mode });
    return needed<Before>({ now: seen.now, file: seen.file ?? '' }, changes);
  },
  apply: (_host, want) => {
    const mode = modeOf(want);
    const needsFile =
      mode === 'enforcing'
        ? sh`[ -f /etc/selinux/config ] || kxg_fail "SELinux cannot enforce anything: it is not installed on this machine"`
        : sh``;
    return withFunctions('write', needsFile, editSelinux(mode, START, PLACE), setEnforce(mode));
  },
  owns: () => ['selinux:mode'],
  revert: (_host, _want, before) =>
    withFunctions(
      'write',
      before.file === '' ? sh`` : editSelinux(before.file, START, PLACE),
      before.now === 'disabled' ? sh`` : setEnforce(before.now),
    ),
  example: { mode: 'permissive' },
});
