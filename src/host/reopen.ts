import type { Connection } from '../connector/connection.ts';
import type { Output } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { unlessAborted } from '../model/unless-aborted.ts';
import { logIn } from './login.ts';
import { MainShell, type ShellStart } from './main-shell.ts';
import { Shell, ShellSilent } from './shell.ts';

/** A script to run in a fresh shell before anybody else: takes the lock again. */
export type RestoreHook = (run: (script: string) => Promise<Output>) => Promise<void>;

/** A new shell in so much time, with the old one's commands ended and the hook run. */
export async function reopenShell(
  connection: Connection,
  start: ShellStart,
  old: MainShell,
  hook: RestoreHook | undefined,
  ms: number,
): Promise<MainShell> {
  const deadline = AbortSignal.timeout(ms);
  const { signal } = start.login;
  const login = { ...start.login, signal: signal ? AbortSignal.any([deadline, signal]) : deadline };
  try {
    const session = await logIn(connection, login, start.pty);
    const shell = new Shell(session, start, () => !connection.alive, start.deadlines);
    try {
      const info = await unlessAborted(takeOver(shell, old, hook), login.signal);
      return new MainShell(connection, shell, info, start);
    } catch (error) {
      shell.abandon();
      throw error;
    }
  } catch (error) {
    throw deadline.aborted ? new ShellSilent('no new shell answers', ms) : error;
  }
}

async function takeOver(shell: Shell, old: MainShell, hook: RestoreHook | undefined): Promise<MainShell['info']> {
  const run = async (script: string): Promise<Output> => {
    const [output] = await shell.call([script], { maxBytes: 65_536, here: true }).outputs;
    return output as Output;
  };
  // Whatever the old shell still ran must have ended before anybody looks at the machine again.
  const [info] = await Promise.all([shell.info, run(`kx_reap ${quote(old.info.dir)}`)]);
  await hook?.(run);
  return info;
}
