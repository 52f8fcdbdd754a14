import { changeGroup, isAccountName, lookAtGroup, parseGroup, restoreGroup } from '../../host/os/user.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';
import { isNumber } from './user.ts';

/** A group of the machine. */
export interface Group {
  readonly name: string;
  readonly gid?: number;
  /** A group for services, with a low number. Default: yes. */
  readonly system?: boolean;
}

function checked(want: Group): Group {
  if (!isAccountName(want.name)) throw invalid(`${JSON.stringify(want.name)} is no name of a group`);
  if (want.gid !== undefined && !isNumber(want.gid)) throw invalid(`${want.gid} is no number of a group`);
  return want;
}

/** Makes a group. */
export const group = defineStep<Group>()({
  kind: 'group',
  description: 'A group of the machine; undone, only one that it made is deleted.',
  title: (want) => `group ${want.name}`,
  probe: (want) => lookAtGroup(checked(want).name),
  judge: (output, want) => {
    const seen = parseGroup(output);
    if (seen.exists && (want.gid === undefined || want.gid === seen.gid)) return satisfied({ gid: seen.gid });
    const to = want.gid === undefined ? 'made' : String(want.gid);
    return needed(seen, [{ what: `group ${want.name}`, ...(seen.exists ? { from: String(seen.gid) } : {}), to }]);
  },
  apply: (_host, want) => changeGroup(checked(want).name, want.gid, want.system ?? true),
  revert: (_host, want, before) => restoreGroup(checked(want).name, before),
  owns: (want) => [`group:${want.name}`],
  example: { name: 'etcd' },
});
