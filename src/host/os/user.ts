import type { Output } from '../../model/host.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

/** What a user is to be. What is not named is left to the system, or as it is. */
export interface UserAim {
  readonly name: string;
  readonly uid?: number | undefined;
  /** The primary group; it must exist, unless it is called like the user. */
  readonly group?: string | undefined;
  readonly groups: readonly string[];
  readonly home?: string | undefined;
  readonly createHome: boolean;
  readonly shell?: string | undefined;
  readonly comment?: string | undefined;
  readonly system: boolean;
}

/** A user as it was found; plain JSON. */
export type UserSeen = {
  readonly exists: boolean;
  readonly uid: number;
  /** The name of the primary group. */
  readonly group: string;
  readonly comment: string;
  readonly home: string;
  readonly shell: string;
  /** The other groups, sorted. */
  readonly groups: readonly string[];
  /** Whether there was a group with the name of the wanted primary group. */
  readonly groupExists: boolean;
  readonly homeExists: boolean;
};

/** A group as it was found; plain JSON. */
export type GroupSeen = { readonly exists: boolean; readonly gid: number };

/** Whether a name can be a user's or a group's. */
export function isAccountName(name: string): boolean {
  return /^[a-z_][a-z0-9_-]{0,30}\$?$/.test(name);
}

const FUNCTIONS = rawScript(shellSource(new URL('./user.sh', import.meta.url)));

/** A read-only script that tells about a user. */
export function lookAtUser(aim: UserAim): Script {
  return lines(FUNCTIONS, sh`kxu_look ${aim.name} ${aim.group ?? aim.name} ${aim.home ?? ''}`);
}

/** What `lookAtUser` printed. */
export function parseUser(output: Output): UserSeen {
  const said = new Map(
    output.stdout
      .split('\n')
      .filter((line) => line.includes(' '))
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const),
  );
  const passwd = said.get('passwd');
  const [, , uid, , comment = '', home = '', shell = ''] = (passwd ?? '').split(':');
  const primary = said.get('primary') ?? '';
  return {
    exists: passwd !== undefined,
    uid: Number(uid ?? -1),
    group: primary,
    comment,
    home,
    shell,
    groups: (said.get('groups') ?? '')
      .split(' ')
      .filter((name) => name !== '' && name !== primary)
      .toSorted(),
    groupExists: said.has('group'),
    homeExists: said.has('home'),
  };
}

/** A read-only script that tells about a group. */
export function lookAtGroup(name: string): Script {
  return sh`getent group ${name} || :`;
}

/** What `lookAtGroup` printed. */
export function parseGroup(output: Output): GroupSeen {
  const gid = output.stdout.split('\n')[0]?.split(':')[2];
  return { exists: gid !== undefined, gid: gid === undefined ? -1 : Number(gid) };
}

/** Makes a user, or brings one to what it is to be. */
export function changeUser(aim: UserAim): Script {
  const group = aim.group ?? aim.name;
  const options = [
    ...(aim.uid === undefined ? [] : ['-u', aim.uid]),
    ...(aim.comment === undefined ? [] : ['-c', aim.comment]),
  ];
  const home = aim.home === undefined ? [] : ['-d', aim.home];
  const shell: Script = aim.shell === undefined ? rawScript('"$kxu_shell"') : sh`${aim.shell}`;
  const extra = aim.groups.length === 0 ? [] : ['-G', aim.groups.join(',')];
  return lines(
    FUNCTIONS,
    sh`if ! getent passwd ${aim.name} >/dev/null; then
  kxu_need useradd; kxu_nologin
  getent group ${group} >/dev/null || groupadd ${aim.system ? ['-r'] : []} -- ${group} || exit
  useradd ${aim.system ? ['-r'] : []} ${aim.createHome ? '-m' : '-M'} -g ${group} ${options} ${home} ${extra} -s ${shell} -- ${aim.name} || exit
else
  kxu_need usermod`,
    ...changesOf(aim).map((words) => sh`  usermod ${words} -- ${aim.name} || exit`),
    ...aim.groups.map((name) => sh`  kxu_join ${aim.name} ${name} || exit`),
    rawScript('fi'),
  );
}

/** Only what is named: usermod without need would wait for processes of the user to end. */
function changesOf(aim: UserAim): readonly (readonly (string | number)[])[] {
  return [
    ...(aim.uid === undefined ? [] : [['-u', aim.uid]]),
    ...(aim.group === undefined ? [] : [['-g', aim.group]]),
    ...(aim.comment === undefined ? [] : [['-c', aim.comment]]),
    ...(aim.home === undefined ? [] : [['-d', aim.home]]),
    ...(aim.shell === undefined ? [] : [['-s', aim.shell]]),
  ];
}

/** Deletes a user that was made, with what was made with it, or makes one what it was. */
export function restoreUser(aim: UserAim, before: UserSeen): Script {
  const group = aim.group ?? aim.name;
  if (before.exists) {
    const back = [
      ['-u', before.uid],
      ['-g', before.group],
      ['-c', before.comment],
      ['-d', before.home],
      ['-s', before.shell],
    ].filter(([flag]) => changesOf(aim).some(([changed]) => changed === flag));
    return lines(
      FUNCTIONS,
      sh`getent passwd ${aim.name} >/dev/null || exit 0`,
      ...back.map((words) => sh`usermod ${words} -- ${aim.name} || exit`),
      // Only those that were added: what others gave since is theirs.
      ...aim.groups
        .filter((name) => !before.groups.includes(name))
        .map((name) => sh`kxu_leave ${aim.name} ${name} || exit`),
    );
  }
  const keepsGroup = before.groupExists && group === aim.name;
  return lines(
    FUNCTIONS,
    sh`kxu_delete ${aim.name} ${keepsGroup ? ['keep'] : []} || exit`,
    aim.createHome && !before.homeExists ? sh`kxu_remove_home ${aim.name} ${aim.home ?? ''}` : rawScript(':'),
    before.groupExists ? rawScript(':') : sh`! getent group ${group} >/dev/null || groupdel -- ${group}`,
  );
}

/** Makes a group, or gives one its number. */
export function changeGroup(name: string, gid: number | undefined, system: boolean): Script {
  const number = gid === undefined ? [] : ['-g', gid];
  return lines(
    FUNCTIONS,
    sh`kxu_need groupadd
if ! getent group ${name} >/dev/null; then groupadd ${system ? ['-r'] : []} ${number} -- ${name}`,
    rawScript(gid === undefined ? 'fi' : sh`else groupmod ${number} -- ${name}; fi`.script),
  );
}

/** Deletes a group that was made, or gives one its old number. */
export function restoreGroup(name: string, before: GroupSeen): Script {
  if (before.exists) return sh`! getent group ${name} >/dev/null || groupmod -g ${before.gid} -- ${name}`;
  return sh`! getent group ${name} >/dev/null || groupdel -- ${name}`;
}
