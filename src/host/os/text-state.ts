import { posix as paths } from 'node:path';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

/**
 * A small text file as it was found: plain JSON, and enough to make it again. A type, so that it is Json too.
 * `content` is base64: what is not UTF-8 survives. `other`: something that is no small text file is in the way.
 */
export type TextState =
  | { readonly type: 'absent' }
  | { readonly type: 'other' }
  | { readonly type: 'link'; readonly target: string }
  | {
      readonly type: 'file';
      readonly mode: string;
      readonly uid: number;
      readonly gid: number;
      readonly content: string;
    };

/** kxo_text KEY PATH: one line that `textOf` reads. */
export const TEXT_FUNCTION = rawScript(shellSource(new URL('./text-state.sh', import.meta.url)));

/** A read-only script that tells about small text files, each under a key without spaces. */
export function lookAtTexts(files: Readonly<Record<string, string>>): Script {
  return lines(TEXT_FUNCTION, ...Object.entries(files).map(([key, path]) => sh`kxo_text ${key} ${path}`));
}

/** What a probe said about the file of a key. What it did not say counts as absent. */
export function textOf(answer: string, key: string): TextState {
  const start = `text ${key} `;
  const line = answer.split('\n').find((one) => one.startsWith(start));
  const [type, ...words] = line?.slice(start.length).split(' ') ?? [];
  if (type === 'link') return { type, target: Buffer.from(words[0] ?? '', 'base64').toString('utf8') };
  if (type === 'other') return { type };
  if (type !== 'file') return { type: 'absent' };
  const [mode = '', uid, gid, content = ''] = words;
  return { type, mode: `0${mode.padStart(3, '0')}`, uid: Number(uid), gid: Number(gid), content };
}

/** The text of a file; undefined when there is none. */
export function contentOf(state: TextState): string | undefined {
  return state.type === 'file' ? Buffer.from(state.content, 'base64').toString('utf8') : undefined;
}

/** The directories above a path, the lowest first, without those that every machine has. */
function above(path: string): readonly string[] {
  const parent = paths.dirname(path);
  return parent === '/' || parent === '/etc' ? [] : [parent, ...above(parent)];
}

/** A read-only script that tells which directories above a path are missing. `missingAbove` reads it. */
export function lookAbove(path: string): Script {
  return sh`for d in ${above(path)}; do [ -d "$d" ] || printf 'missing %s\\n' "$d"; done`;
}

/** The directories above a path that have to be made, the lowest first. */
export function missingAbove(answer: string, path: string): readonly string[] {
  const said = new Set(answer.split('\n'));
  return above(path).filter((dir) => said.has(`missing ${dir}`));
}
