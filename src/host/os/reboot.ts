import { createHash } from 'node:crypto';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

/** What `beginReboot` found: the boot that is to end, or that it has ended already. */
export type RebootBegun = { readonly boot: string } | 'done';

const FUNCTIONS = rawScript(shellSource(new URL('./reboot.sh', import.meta.url)));

/** Names the note of a restart that was asked for. */
function noteOf(reason: string): string {
  return createHash('sha256').update(reason).digest('hex').slice(0, 12);
}

/** Notes durably which boot is to end, and for which run; finds out whether that has happened already. */
export function beginReboot(reason: string): Script {
  return lines(FUNCTIONS, sh`kxr_begin ${noteOf(reason)}`);
}

/** What `beginReboot` printed; undefined when it makes no sense. */
export function parseBegun(stdout: string): RebootBegun | undefined {
  if (stdout.trim() === 'done') return 'done';
  const boot = /^boot ([0-9a-f-]{36})$/m.exec(stdout)?.[1];
  return boot === undefined ? undefined : { boot };
}

/** Asks the machine to restart, in an orderly way, and does not wait for it. */
export function startReboot(): Script {
  return lines(FUNCTIONS, sh`kxr_start`);
}

/** Whether the boot has ended: prints `same`, or takes the note away and prints `new`. */
export function lookAfterReboot(reason: string, boot: string): Script {
  return lines(FUNCTIONS, sh`kxr_after ${noteOf(reason)} ${boot}`);
}

/** Takes the note away: the restart was refused. */
export function forgetReboot(reason: string): Script {
  return lines(FUNCTIONS, sh`kxr_forget ${noteOf(reason)}`);
}

/** Waits until the system has started what it starts with, or so many seconds. */
export function waitForBoot(seconds: number): Script {
  return lines(FUNCTIONS, sh`kxr_wait ${seconds}`);
}

/** A read-only script that prints why a machine should be restarted, one reason a line. */
export function lookForReboot(): Script {
  return lines(FUNCTIONS, sh`kxr_reasons`);
}
