import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { posix } from '../lib/text.ts';

/** Where a machine's own name is kept, on every family of systems. */
export const HOSTNAME_FILE = '/etc/hostname';

/** Whether a name can be a machine's: lower-case labels with dots between them, 64 characters at most (the kernel's limit). */
export function isHostname(name: string): boolean {
  return (
    name.length <= 64 && /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/.test(name)
  );
}

/** A read-only script that tells the name the machine has now. */
export function lookAtHostname(): Script {
  return sh`read -r name </proc/sys/kernel/hostname && printf 'now %s\\n' "$name"`;
}

/** The name the machine has now. */
export function seenHostname(answer: string): string {
  return /^now (.*)$/m.exec(answer)?.[1] ?? '';
}

/** The name that the file says: its first line that is no comment. */
export function staticHostname(text: string | undefined): string | undefined {
  return text
    ?.split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'));
}

/** kxo_name NAME: names the machine from now on. In a container /proc/sys may be read-only where the call is allowed. */
const NAME = rawScript(posix`
kxo_name() {
  if command -v hostname >/dev/null; then kxo_why=$(hostname "$1" 2>&1) && return
  else { printf '%s\n' "$1" >/proc/sys/kernel/hostname; } 2>/dev/null && return; fi
  ! command -v hostnamectl >/dev/null || ! hostnamectl --transient set-hostname "$1" 2>/dev/null || return 0
  printf 'the machine cannot be named %s: %s\n' "$1" "\${kxo_why:-/proc/sys is read-only}" >&2
  exit 1
}`);

/** Names the machine from now on. */
export function setHostname(name: string): Script {
  return lines(NAME, sh`kxo_name ${name}`);
}
