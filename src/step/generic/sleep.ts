import { setTimeout as delay } from 'node:timers/promises';
import { defineStep } from '../../plan/step.ts';

/** A pause. */
export interface Sleep {
  readonly seconds: number;
  /** What is waited for, for people. */
  readonly purpose?: string;
}

/** Waits a fixed time. Prefer a wait for a condition. */
export const sleep = defineStep<Sleep>()({
  kind: 'sleep',
  description: 'Waits a fixed time. A wait for a port, an address or a command is nearly always better.',
  title: (want) => want.purpose ?? `sleep ${want.seconds} s`,
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => {
    await delay(want.seconds * 1000, undefined, { signal: io.signal });
  },
  timeoutSeconds: (want) => want.seconds + 30,
  estimateSeconds: (want) => want.seconds,
  example: { seconds: 1 },
});
