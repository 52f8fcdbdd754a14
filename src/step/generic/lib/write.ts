import { createHash } from 'node:crypto';
import { lines, type Script, sh } from '../../../model/script.ts';
import { modeText, type Ownership, parseMode, parseOwner } from './ownership.ts';
import { absolute, tempBeside } from './path.ts';
import { withFunctions } from './shell.ts';

/** The sha256 of text or bytes, in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * A script that writes a file: the content travels inside the script, never as a word of a command, and the file has its
 * mode and owner before it has its name. Without a mode an existing file keeps its own, and a new one gets 0644.
 */
export function writeScript(path: string, content: Uint8Array, want: Ownership): Script {
  const temp = tempBeside(absolute(path));
  return withFunctions(
    'write',
    sh`p=${path}; t=${temp}
[ ! -d "$p" ] || [ -L "$p" ] || kxg_fail "$p is a directory"
kxg_new "$t"; t=$kxg_file`,
    contentScript(content),
    ownScript(want),
    sh`kxg_place "$t" "$p"`,
  );
}

/** Gives the file `$t` the mode and owner that `$p` is to have. */
function ownScript(want: Ownership): Script {
  const keepOwner = sh`if [ -f "$p" ] && [ ! -L "$p" ]; then chown -- "$(stat -c %u:%g -- "$p")" "$t" || kxg_fail "cannot set the owner of $p"; fi`;
  const owner =
    want.owner === undefined
      ? keepOwner
      : sh`chown -- ${ownerWord(want.owner)} "$t" || kxg_fail "cannot set the owner of $p"`;
  const keepMode = sh`if [ -f "$p" ] && [ ! -L "$p" ]; then m=$(stat -c %a -- "$p"); else m=0644; fi; chmod "$m" "$t"`;
  const mode = want.mode === undefined ? keepMode : sh`chmod ${modeText(parseMode(want.mode))} "$t"`;
  return lines(owner, sh`${mode} || kxg_fail "cannot set the mode of $p"`);
}

/** An owner as chown takes it. */
export function ownerWord(owner: string): string {
  parseOwner(owner);
  return owner;
}

/** Fills the file `$t`. Text stays readable in the script; what a here-document would change is sent as base64. */
function contentScript(content: Uint8Array): Script {
  if (content.length === 0) return sh``;
  const text = asText(content);
  const failed: Script = { script: '|| kxg_fail "cannot write $t"' };
  if (text?.endsWith('\n') === true) {
    const end = delimiter(text);
    return { script: `cat >"$t" <<'${end}' ${failed.script}\n${text}${end}` };
  }
  const wrapped = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\n');
  return { script: `base64 -d >"$t" <<'KXG_END' ${failed.script}\n${wrapped}\nKXG_END` };
}

/** A line that the text does not have. */
function delimiter(text: string): string {
  const all = new Set(text.split('\n'));
  let end = 'KXG_END';
  while (all.has(end)) end += '_';
  return end;
}

/** The content as text, unless it is not valid UTF-8 or has bytes a shell cannot carry. */
export function asText(content: Uint8Array): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
