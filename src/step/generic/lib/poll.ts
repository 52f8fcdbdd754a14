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

/**
 * Looks again and again on the host itself, until `kxg_try` succeeds or time is up: one round trip however long it takes.
 * `kxg_try` sets kxg_why when it fails, and returns 90 when the host has no tool to look with. Time is the kernel's
 * uptime, because a wait must survive a clock that is being set.
 */
export function pollScript(attempt: Script, what: string, want: Waiting): Script {
  const seconds = waitSeconds(want);
  const interval = Math.max(1, Math.round(want.intervalSeconds ?? 2));
  return lines(
    attempt,
    rawScript(`kxg_now() {
  if read -r kxg_n kxg_x </proc/uptime; then kxg_n=\${kxg_n%%.*}; else kxg_n=$(date +%s); fi
} 2>/dev/null`),
    sh`kxg_patience=5
kxg_now; kxg_end=$((kxg_n + ${seconds}))
while :; do
  kxg_try; kxg_c=$?
  if [ "$kxg_c" -eq 0 ]; then exit 0; fi
  if [ "$kxg_c" -eq 90 ]; then printf '%s\\n' "$kxg_why" >&2; exit 90; fi
  kxg_now
  if [ "$kxg_n" -ge "$kxg_end" ]; then break; fi
  sleep ${interval}
done
printf '%s: %s\\n' ${`${what} is still not so after ${seconds} s`} "$kxg_why" >&2
exit 1`,
  );
}

/** One look, for a probe. Others travel with it: it waits only so long as something may falter. */
export function lookOnce(attempt: Script): Script {
  return lines(attempt, sh`kxg_patience=1\nkxg_try`);
}
