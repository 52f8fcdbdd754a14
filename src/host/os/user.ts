import type { Output } from '../../model/host.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { compact, posix } from '../lib/text.ts';

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

/** A read-only script that tells about a user. */
export function lookAtUser(aim: UserAim): Script {
  return sh`kxu_line=$(getent passwd ${aim.name}) && printf 'passwd %s\\n' "$kxu_line"
[ -z "$kxu_line" ] || printf 'primary %s\\ngroups %s\\n' "$(id -gn ${aim.name})" "$(id -Gn ${aim.name})"
getent group ${aim.group ?? aim.name} >/dev/null && echo 'group yes'
kxu_home=${aim.home ?? rawScript("''")}
if [ -n "$kxu_home" ]; then :; elif [ -n "$kxu_line" ]; then kxu_line=\${kxu_line%:*}; kxu_home=\${kxu_line##*:}
else kxu_home=$(useradd -D 2>/dev/null | sed -n 's/^HOME=//p'); kxu_home=\${kxu_home:-/home}/${aim.name}; fi
[ -z "$kxu_home" ] || [ ! -e "$kxu_home" ] || echo 'home yes'
exit 0`;
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

/** The shadow tools, which every family has; without them there is nothing to make a user with. */
const FUNCTIONS = compact(posix`
kxu_need() { command -v "$1" >/dev/null || { echo "there is no $1 on this machine: install the package shadow, passwd or shadow-utils" >&2; exit 1; }; }
kxu_nologin() {
  for kxu_shell in /usr/sbin/nologin /sbin/nologin /bin/false; do [ ! -x "$kxu_shell" ] || break; done
}
# PATH: whether it belongs to a user that is no more.
kxu_orphan() { kxu_uid=$(stat -c %u -- "$1") && ! getent passwd "$kxu_uid" >/dev/null; }
# DIR: removes the home of a user that is no more: what came from the template and is as it was, and nothing else.
kxu_unhome() {
  [ -d "$1" ] && [ ! -L "$1" ] && kxu_orphan "$1" || return 0
  (
    cd -P -- "$1" || exit
    find . -xdev -type f -exec sh -c 'for f do if [ -f "/etc/skel/$f" ] && cmp -s -- "$f" "/etc/skel/$f"; then rm -f -- "$f"; fi; done' sh {} +
    find . -xdev -type l -exec sh -c 'for f do if [ -L "/etc/skel/$f" ] && [ "$(readlink -- "$f")" = "$(readlink -- "/etc/skel/$f")" ]; then rm -f -- "$f"; fi; done' sh {} +
    find . -xdev -depth ! -name . -type d -exec sh -c 'for f do [ ! -d "/etc/skel/$f" ] || rmdir -- "$f" 2>/dev/null; done' sh {} +
  )
  rmdir -- "$1" 2>/dev/null || echo "$1 stays: what is in it was not put there by this step" >&2
}
`);

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
    rawScript(FUNCTIONS),
    sh`if ! getent passwd ${aim.name} >/dev/null; then
  kxu_need useradd; kxu_nologin
  getent group ${group} >/dev/null || groupadd ${aim.system ? ['-r'] : []} -- ${group} || exit
  useradd ${aim.system ? ['-r'] : []} ${aim.createHome ? '-m' : '-M'} -g ${group} ${options} ${home} ${extra} -s ${shell} -- ${aim.name} || exit
else
  kxu_need usermod`,
    ...changesOf(aim).map((words) => sh`  usermod ${words} -- ${aim.name} || exit`),
    // usermod -a only adds: other groups belong to others.
    ...aim.groups.map(
      (name) =>
        sh`  case " $(id -Gn ${aim.name}) " in *" "${name}" "*) ;; *) usermod -a -G ${name} -- ${aim.name} || exit ;; esac`,
    ),
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
      sh`getent passwd ${aim.name} >/dev/null || exit 0`,
      ...back.map((words) => sh`usermod ${words} -- ${aim.name} || exit`),
      // Only those that were added: what others gave since is theirs.
      ...aim.groups
        .filter((name) => !before.groups.includes(name))
        .map(
          (name) =>
            sh`case " $(id -Gn ${aim.name}) " in *${` ${name} `}*) gpasswd -d ${aim.name} ${name} >/dev/null || exit ;; esac`,
        ),
    );
  }
  const keepsGroup = before.groupExists && group === aim.name;
  return lines(
    rawScript(FUNCTIONS),
    sh`if getent passwd ${aim.name} >/dev/null; then
  ${keepsGroup ? leaveGroup(aim.name) : rawScript(':')}
  kxu_said=$(userdel -- ${aim.name} 2>&1) || { printf '%s\\n' "$kxu_said" >&2; exit 1; }
fi`,
    aim.createHome && !before.homeExists ? removeHome(aim) : rawScript(':'),
    before.groupExists ? rawScript(':') : sh`! getent group ${group} >/dev/null || groupdel -- ${group}`,
  );
}

/** userdel -r would take along what others have put there. What is as it was made goes, with an empty mailbox. */
function removeHome(aim: UserAim): Script {
  return sh`kxu_home=${aim.home ?? rawScript("''")}
[ -n "$kxu_home" ] || { kxu_home=$(useradd -D 2>/dev/null | sed -n 's/^HOME=//p'); kxu_home=\${kxu_home:-/home}/${aim.name}; }
kxu_unhome "$kxu_home"
for kxu_mail in /var/mail/${aim.name} /var/spool/mail/${aim.name}; do
  if [ -f "$kxu_mail" ] && [ ! -L "$kxu_mail" ] && [ ! -s "$kxu_mail" ] && kxu_orphan "$kxu_mail"; then rm -f -- "$kxu_mail"; fi
done`;
}

/**
 * userdel takes the group with the user's name along when it is the user's own. So the user gets another one first, and
 * another home before that: what is in a home follows the group of its user.
 */
function leaveGroup(name: string): Script {
  return sh`for kxu_g in nogroup nobody daemon; do ! getent group "$kxu_g" >/dev/null || break; done
  usermod -d /nonexistent -- ${name} && usermod -g "$kxu_g" -- ${name} || exit`;
}

/** Makes a group, or gives one its number. */
export function changeGroup(name: string, gid: number | undefined, system: boolean): Script {
  const number = gid === undefined ? [] : ['-g', gid];
  return lines(
    rawScript(FUNCTIONS),
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
