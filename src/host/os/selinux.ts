import { type Script, sh } from '../../model/script.ts';

/** How SELinux decides: not at all, only in the log, or for real. */
export type SelinuxMode = 'disabled' | 'permissive' | 'enforcing';

/** What a machine does now, and what its file says for the next start; without a file there is no SELinux. */
export interface SeenSelinux {
  readonly now: SelinuxMode;
  readonly file: string | undefined;
}

const ENFORCE = '/sys/fs/selinux/enforce';
const CONFIG = '/etc/selinux/config';

/** A read-only script that tells what SELinux does now (no line end there) and at the next start: the first line counts. */
export function lookAtSelinux(): Script {
  return sh`v=
{ read -r v <${ENFORCE}; } 2>/dev/null
[ -z "$v" ] || echo "now $v"
if [ -f ${CONFIG} ]; then
  while read -r line || [ -n "$line" ]; do case $line in SELINUX=*) printf 'file %s\\n' "\${line#*=}"; break ;; esac; done <${CONFIG}
fi`;
}

/** Reads what `lookAtSelinux` printed. */
export function seenSelinux(answer: string): SeenSelinux {
  const enforce = /^now ([01])$/m.exec(answer)?.[1];
  const file = /^file ([A-Za-z]*)/m.exec(answer)?.[1];
  return { now: enforce === undefined ? 'disabled' : enforce === '1' ? 'enforcing' : 'permissive', file };
}

/** Whether a word of the file means a mode: the file knows no case. */
export function meansMode(word: string | undefined, mode: SelinuxMode): boolean {
  return word?.toLowerCase() === mode;
}

/** Lets SELinux decide so from now on. From or to `disabled` is only possible by a restart. */
export function setEnforce(mode: SelinuxMode): Script {
  const value = mode === 'enforcing' ? 1 : 0;
  return sh`if [ -e ${ENFORCE} ]; then echo ${value} >${ENFORCE} || kxg_fail "SELinux does not change its mode: a boolean or the kernel may forbid it"; fi`;
}

/**
 * Changes the word in the first line of the file that says the mode. The rest stays as it is, byte for byte. `start` and
 * `place` make the file `$t` and give it the name `$p`.
 */
export function editSelinux(word: string, start: Script, place: Script): Script {
  const change = `s/^SELINUX=[A-Za-z]*/SELINUX=${word}/`;
  const edit = sh`sed -e '/^SELINUX=/{' -e ${change} -e :a -e n -e ba -e '}' "$p"`;
  return sh`p=${CONFIG}; [ ! -L "$p" ] || p=$(readlink -f -- "$p")
t=\${p%/*}/.kubexm-selinux
rm -f -- "$t"
if [ -f "$p" ] && [ "$(${edit})" != "$(cat "$p")" ]; then
  ${start}
  ${edit} >"$t" && chown -- "$(stat -c %u:%g -- "$p")" "$t" && chmod "$(stat -c %a -- "$p")" "$t" || kxg_fail "cannot write $t"
  ${place}
fi`;
}
