import type { TextState } from '../../../host/os/text-state.ts';
import { lines, type Script, sh } from '../../../model/script.ts';
import type { Change } from '../../../plan/diff.ts';
import { unified } from './file-diff.ts';
import { parentOf, tempBeside } from './path.ts';
import { sha256, writeScript } from './write.ts';

/** A small text file of the system and the directories above it, as a step found them. A type, so that it is Json too. */
export type TextBefore = {
  readonly file: TextState;
  /** Directories that had to be made, the lowest first. */
  readonly made: readonly string[];
};

/** Whether a file is there with exactly this text. */
export function hasText(state: TextState, text: string): boolean {
  return state.type === 'file' && state.content === Buffer.from(text).toString('base64');
}

/** What changes in a file that gets this text. */
export function textChange(path: string, state: TextState, text: string): Change {
  if (state.type === 'link') return { what: path, from: `link to ${state.target}`, to: 'file' };
  const old = state.type === 'file' ? Buffer.from(state.content, 'base64').toString('utf8') : '';
  return { what: state.type === 'absent' ? `${path} (new)` : path, text: unified(old, text) };
}

/** Writes a file of root's that everybody may read, in a directory that is made if need be. */
export function writeText(path: string, text: string): Script {
  const parent = parentOf(path);
  return lines(
    sh`if [ -f ${path} ] && [ ! -L ${path} ] && [ "$(stat -c %s -- ${path})" -gt 65536 ]; then echo ${`${path} is too long to be replaced`} >&2; exit 1; fi`,
    sh`[ -d ${parent} ] || (umask 022; mkdir -p -- ${parent}) || { echo ${`cannot make ${parent}`} >&2; exit 1; }`,
    writeScript(path, Buffer.from(text), { mode: '0644', owner: '0:0' }),
  );
}

/** Tells whether what is at `$p` now is what a step has written there. */
export function isText(ours: string | Uint8Array): Script {
  return sh`d=$(sha256sum <"$p") && [ "\${d%% *}" = ${sha256(ours)} ]`;
}

/** Tells whether the file `$p` has none but these lines. */
export function hasOnlyLines(known: readonly string[]): Script {
  return sh`! grep -qvxF ${known.flatMap((line) => ['-e', line])} -- "$p"`;
}

/**
 * Puts a file back as it was found. With `isOurs` only as long as that holds: what somebody else has made of it since stays,
 * and that is reported. Directories that were made for it go when they are empty.
 */
export function putBackText(path: string, before: TextBefore, isOurs?: Script): Script {
  const { file } = before;
  const asBefore = file.type === 'file' ? isText(Buffer.from(file.content, 'base64')) : sh`false`;
  const theirs =
    isOurs === undefined
      ? []
      : [
          sh`p=${path}
if [ -f "$p" ] && [ ! -L "$p" ] && ! { ${isOurs}; } && ! { ${asBefore}; }; then
  kx_report left "$p was changed by somebody else since: it stays as it is"
else`,
        ];
  return lines(
    // What a change that was killed has left.
    sh`rm -f -- ${tempBeside(path)}`,
    ...theirs,
    again(path, file),
    ...(theirs.length === 0 ? [] : [sh`fi`]),
    ...before.made.map((dir) => sh`[ ! -d ${dir} ] || rmdir -- ${dir} 2>/dev/null`),
    sh`:`,
  );
}

function again(path: string, state: TextState): Script {
  switch (state.type) {
    case 'file':
      return writeScript(path, Buffer.from(state.content, 'base64'), {
        mode: state.mode,
        owner: `${state.uid}:${state.gid}`,
      });
    case 'link':
      return sh`ln -sfn -- ${state.target} ${path} || { echo ${`cannot make the link ${path} again`} >&2; exit 1; }`;
    case 'other':
      // It was never replaced: no script of ours writes over a directory or a long file.
      return sh`:`;
    default:
      return sh`rm -f -- ${path} || { echo ${`cannot remove ${path}`} >&2; exit 1; }`;
  }
}
