import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

type What = 'cmdline' | 'environ';

/** What processes were called with, as far as they lived long enough to be seen. */
export interface ProcessWatch {
  /** How often all of them were looked at. */
  rounds(): number;
  /** Everything that was seen, each once. */
  stop(): Promise<readonly string[]>;
}

/** Reads command lines, and environments if need be, of all processes of this machine, those of its hosts and labs included. */
export function watchProcesses(kinds: readonly What[] = ['cmdline'], pauseMs = 10): ProcessWatch {
  const seen = new Set<string>();
  // The kernel's own have none, and there are many of them.
  const kernels = new Set(pids().filter((pid) => read(pid, 'cmdline') === ''));
  let [rounds, over] = [0, false];
  const watching = (async () => {
    while (!over) {
      for (const pid of pids().filter((one) => !kernels.has(one))) for (const what of kinds) seen.add(read(pid, what));
      rounds++;
      await sleep(pauseMs);
    }
  })();
  return {
    rounds: () => rounds,
    stop: async () => {
      over = true;
      await watching;
      return [...seen];
    },
  };
}

function pids(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** Empty if it has ended meanwhile. */
function read(pid: string, what: What): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1');
  } catch {
    return '';
  }
}
