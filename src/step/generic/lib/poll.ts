import { shellSource } from '../../../host/shell-source.ts';
import { lines, rawScript, type Script, sh } from '../../../model/script.ts';
import { invalid } from './path.ts';

/** How long and how often a condition is looked at. */
export interface Waiting {
  /** Default 300. */
  readonly timeoutSeconds?: number;
  /** Whole seconds between two looks. Default 2. */
  readonly intervalSeconds?: number;
}

const DEFAULT_SECONDS = 300;
/** A shorter wait is not worth a job. */
const SHORT_SECONDS = 20;

/** How long a wait lasts at most. */
function waitSeconds(want: Waiting): number {
  const seconds: unknown = want.timeoutSeconds ?? DEFAULT_SECONDS;
  // A value of another step that is not known yet is shown as text.
  if (typeof seconds !== 'number') return DEFAULT_SECONDS;
  if (!Number.isFinite(seconds) || seconds < 0) throw invalid(`a wait of ${seconds} seconds`);
  return Math.ceil(seconds);
}

/** What all waits have in common: they run as a job unless they are short, and leave nothing behind. */
export const waitTraits = {
  nature: 'action' as const,
  job: (want: Waiting) => waitSeconds(want) > SHORT_SECONDS,
  timeoutSeconds: (want: Waiting) => waitSeconds(want) + 30,
  estimateSeconds: 5,
};

const POLL = rawScript(shellSource(new URL('./poll.sh', import.meta.url)));

/** Looks again and again on the host itself, until `kxg_try` of the script succeeds or time is up: one round trip however long it takes. */
export function pollScript(attempt: Script, what: string, want: Waiting): Script {
  const interval = Math.max(1, Math.round(want.intervalSeconds ?? 2));
  return lines(attempt, POLL, sh`kxg_poll ${what} ${waitSeconds(want)} ${interval}`);
}

/** One look, for a probe. Others travel with it: it waits only so long as something may falter. */
export function lookOnce(attempt: Script): Script {
  return lines(attempt, sh`kxg_try 1`);
}
