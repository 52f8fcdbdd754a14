/** Kills the process at a chosen journal transition, so that tests can crash it everywhere. */
export interface CrashPoints {
  before(record: { readonly node: string; readonly phase: string }, flush: () => void): void;
  after(record: { readonly node: string; readonly phase: string }, flush: () => void): void;
}

const never: CrashPoints = { before: () => undefined, after: () => undefined };

/**
 * Reads `KUBEXM_CRASH_AT=<node>:<phase>`; with `before-<phase>` the record is not written any more.
 * The kill is a real SIGKILL: nothing is cleaned up, as when the machine's power goes.
 */
export function crashPoints(setting: string | undefined): CrashPoints {
  if (!setting) return never;
  const colon = setting.lastIndexOf(':');
  const node = setting.slice(0, colon);
  const phase = setting.slice(colon + 1);
  const die = (flush: () => void) => {
    flush();
    process.kill(process.pid, 'SIGKILL');
  };
  return {
    before: (record, flush) => {
      if (record.node === node && phase === `before-${record.phase}`) die(flush);
    },
    after: (record, flush) => {
      if (record.node === node && phase === record.phase) die(flush);
    },
  };
}
