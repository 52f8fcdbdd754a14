import type { Output } from '../../model/host.ts';
import { lines, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { modeText, type Ownership, parseMode, parseOwner } from './lib/ownership.ts';
import { absolute, invalid, isProtected } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';
import { ownerWord } from './lib/write.ts';

/** Mode and owner of something that exists. */
export interface Mode extends Ownership {
  readonly path: string;
  /** Also of all that is below it; links are left alone, and mounts below are not entered. */
  readonly recursive?: boolean;
  /** Mode of directories when recursive. Without it directories keep theirs. */
  readonly directoryMode?: string;
}

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
}

interface Before {
  /** What differed, as it was. */
  readonly entries: readonly Entry[];
  /** There was more than could be listed. */
  readonly truncated: boolean;
}

const SHOWN = 5;

/** The tests of find that say an entry is not as wanted. */
function differs(want: Mode): Script {
  const directoryMode = modeOfDirectories(want);
  const tests: Script[] = [];
  if (want.mode !== undefined) tests.push(sh`! -type d ! -perm ${modeText(parseMode(want.mode))}`);
  if (directoryMode !== undefined) tests.push(sh`-type d ! -perm ${modeText(parseMode(directoryMode))}`);
  if (want.owner !== undefined) tests.push(...otherOwner(want.owner));
  if (tests.length === 0) throw invalid(`nothing is wanted of ${want.path}: neither mode nor owner`);
  return sh`${depth(want)} ! -type l '(' ${joined(tests)} ')'`;
}

function otherOwner(owner: string): readonly Script[] {
  const { user, group } = parseOwner(owner);
  return [
    ...(user === undefined ? [] : [sh`! -user ${user}`]),
    ...(group === undefined ? [] : [sh`! -group ${group}`]),
  ];
}

function joined(tests: readonly Script[]): Script {
  return { script: tests.map((test) => test.script).join(' -o ') };
}

function checked(want: Mode): string {
  if (want.recursive === true && isProtected(absolute(want.path)))
    throw invalid(`${want.path} must never be changed as a whole`);
  return absolute(want.path);
}

function parseEntries(output: Output): readonly Entry[] {
  const fields = output.stdout.split('\0').slice(0, -1);
  const entries = fields.flatMap((field) => {
    const match = /^([0-7]+) ([0-9]+) ([0-9]+)\n(.*)$/s.exec(field);
    if (match === null) return [];
    const [, mode = '', uid, gid, path = ''] = match;
    return [{ path, mode: modeText(Number.parseInt(mode, 8)), uid: Number(uid), gid: Number(gid) }];
  });
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Sets mode and owner. The path must exist; a link is followed. */
export const mode = defineStep<Mode>()({
  kind: 'mode',
  description: 'Mode and owner of an existing file or directory, on request with all that is below it.',
  title: (want) => `mode of ${want.path}`,
  // A user or group that does not exist yet makes find fail: exit 3 says that it is needed.
  probe: (want) =>
    sh`p=${checked(want)}
[ -e "$p" ] || exit 2
find -H "$p" -xdev ${differs(want)} -exec sh -c 'for f; do stat -c "%a %u %g" -- "$f" && printf "%s\\0" "$f"; done' sh {} + 2>/dev/null || exit 3`,
  judge: (output, want) => {
    const wanted = [want.mode, want.directoryMode, want.owner].filter((part) => part !== undefined).join(' ');
    const entries = parseEntries(output);
    if (output.code === 0 && entries.length === 0 && !output.truncated) return satisfied();
    const unsure = output.truncated || entries.some((entry) => entry.path.includes('\ufffd'));
    const before: Before = { entries, truncated: unsure };
    const changes = entries
      .slice(0, SHOWN)
      .map((entry) => ({ what: entry.path, from: `${entry.mode} ${entry.uid}:${entry.gid}`, to: wanted }));
    const more = entries.length - SHOWN;
    if (entries.length === 0) return needed(before, [{ what: want.path, to: wanted }]);
    return needed(before, more > 0 ? [...changes, { what: `${more} more below ${want.path}`, to: wanted }] : changes);
  },
  apply: (_host, want) => {
    const path = checked(want);
    const owner = want.owner === undefined ? sh`` : chownAll(want, want.owner);
    const directoryMode = modeOfDirectories(want);
    const modes = [
      ...(want.mode === undefined ? [] : [chmodAll(want, sh`! -type d`, want.mode)]),
      ...(directoryMode === undefined ? [] : [chmodAll(want, sh`-type d`, directoryMode)]),
    ];
    const guard = want.recursive === true ? sh`if [ -d "$p" ]; then kxg_guard "$p"; fi` : sh``;
    return withFunctions('guard', sh`p=${path}; [ -e "$p" ] || kxg_fail "$p does not exist"`, guard, owner, ...modes);
  },
  revert: (_host, want, before) => {
    if (before.truncated)
      return sh`printf '%s\\n' ${`too many files below ${want.path} were changed, or their names are not UTF-8: they cannot be put back`} >&2; exit 1`;
    return lines(
      sh`kxg_back() { [ ! -e "$3" ] || { chown -- "$2" "$3" && chmod "$1" "$3"; } || exit 1; }`,
      ...before.entries.map((entry) => sh`kxg_back ${entry.mode} ${`${entry.uid}:${entry.gid}`} ${entry.path}`),
    );
  },
  timeoutSeconds: 300,
  example: { path: '/var/lib/etcd', mode: '0700', owner: 'root:root' },
});

function modeOfDirectories(want: Mode): string | undefined {
  return want.recursive === true ? want.directoryMode : want.mode;
}

function depth(want: Mode): Script {
  return want.recursive === true ? sh`` : sh`-maxdepth 0`;
}

/** Only what has another owner, and its mode stays: chown takes special bits away. */
function chownAll(want: Mode, owner: string): Script {
  const each = 'for f; do m=$(stat -c %a -- "$f") && chown -- "$0" "$f" && chmod "$m" "$f" || exit 1; done';
  return sh`find -H "$p" -xdev ${depth(want)} ! -type l '(' ${joined(otherOwner(owner))} ')' -exec sh -c ${each} ${ownerWord(owner)} {} + || kxg_fail "cannot set the owner of $p"`;
}

function chmodAll(want: Mode, which: Script, mode: string): Script {
  return sh`find -H "$p" -xdev ${depth(want)} ! -type l ${which} -exec chmod ${modeText(parseMode(mode))} {} + || kxg_fail "cannot set the mode of $p"`;
}
