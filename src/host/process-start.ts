import { readFileSync } from 'node:fs';

/** When a process of this machine started, in the kernel's own count; `ended` for one whose parent has not noticed. Undefined where nobody can see it. */
export function processStart(pid: number): string | undefined {
  try {
    // The second field is the program's name in brackets and may hold anything; start time is the 22nd.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}
