import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

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

const FUNCTIONS = rawScript(shellSource(new URL('./hostname.sh', import.meta.url)));

/** Names the machine from now on. */
export function setHostname(name: string): Script {
  return lines(FUNCTIONS, sh`kxo_name ${name}`);
}
