import {
  changeUser,
  isAccountName,
  lookAtUser,
  parseUser,
  restoreUser,
  type UserAim,
  type UserSeen,
} from '../../host/os/user.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute, invalid } from './lib/path.ts';

/** A user of the machine. What is not named stays as it is, or as the system chooses. */
export interface User {
  readonly name: string;
  readonly uid?: number;
  /** The primary group, which must exist. Default: one with the user's name, made with it. */
  readonly group?: string;
  /** Groups that it is a member of too. It stays in others that it is in. */
  readonly groups?: readonly string[];
  readonly home?: string;
  /** Whether its home directory is made with it. Default: no. */
  readonly createHome?: boolean;
  /** Default for a new one: no login. */
  readonly shell?: string;
  readonly comment?: string;
  /** A user for services, with a low number. Default: yes. */
  readonly system?: boolean;
}

function aimOf(want: User): UserAim {
  for (const name of [want.name, want.group ?? want.name, ...(want.groups ?? [])])
    if (!isAccountName(name)) throw invalid(`${JSON.stringify(name)} is no name of a user or group`);
  if (want.uid !== undefined && !isNumber(want.uid)) throw invalid(`${want.uid} is no number of a user`);
  for (const text of [want.comment ?? '', want.home ?? '', want.shell ?? ''])
    if (/[:\n]/.test(text)) throw invalid(`${JSON.stringify(text)} cannot be kept in the list of users`);
  return {
    ...want,
    uid: want.uid,
    groups: want.groups ?? [],
    home: want.home === undefined ? undefined : absolute(want.home),
    shell: want.shell === undefined ? undefined : absolute(want.shell),
    createHome: want.createHome === true,
    system: want.system ?? true,
  };
}

/** Whether a number can be a user's or a group's; the highest two have a meaning of their own. */
export function isNumber(id: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < 2 ** 32 - 2;
}

function changes(seen: UserSeen, aim: UserAim): readonly Change[] {
  if (!seen.exists) return [{ what: `user ${aim.name}`, to: aim.uid === undefined ? 'made' : `made as ${aim.uid}` }];
  const found: Change[] = [];
  const compare = (what: string, from: string | number, to: string | number | undefined): void => {
    if (to !== undefined && to !== from) found.push({ what, from: String(from), to: String(to) });
  };
  compare('uid', seen.uid, aim.uid);
  compare('group', seen.group, aim.group);
  compare('comment', seen.comment, aim.comment);
  compare('home', seen.home, aim.home);
  compare('shell', seen.shell, aim.shell);
  const missing = aim.groups.filter((name) => !seen.groups.includes(name) && name !== seen.group);
  return [...found, ...missing.map((name) => ({ what: 'member of', to: name }))];
}

/** Makes a user. One that is there is changed only in what is named. */
export const user = defineStep<User>()({
  kind: 'user',
  description:
    'A user of the machine, by default one for services without a login; undone, only one that it made is deleted.',
  title: (want) => `user ${want.name}`,
  probe: (want) => lookAtUser(aimOf(want)),
  judge: (output, want) => {
    const seen = parseUser(output);
    const diff = changes(seen, aimOf(want));
    return diff.length === 0 ? satisfied({ uid: seen.uid, group: seen.group, home: seen.home }) : needed(seen, diff);
  },
  apply: (_host, want) => changeUser(aimOf(want)),
  revert: (_host, want, before) => restoreUser(aimOf(want), before),
  owns: (want) => [`user:${want.name}`],
  example: { name: 'etcd', home: '/var/lib/etcd', comment: 'etcd' },
});
