import { setTimeout as delay } from 'node:timers/promises';
import {
  beginReboot,
  forgetReboot,
  lookAfterReboot,
  lookForReboot,
  parseBegun,
  startReboot,
  waitForBoot,
} from '../../host/os/reboot.ts';
import { KubexmError, kubexmError } from '../../model/errors/index.ts';
import type { Host } from '../../model/host.ts';
import { defineStep, needed, type StepIo, satisfied } from '../../plan/step.ts';

/** A restart of the machine. */
export interface Reboot {
  /** What it is for. A restart of the same run for the same reason that happened while nobody watched is not repeated. */
  readonly reason: string;
  /** How long the machine may take. Default 600. */
  readonly timeoutSeconds?: number;
}

const DEFAULT_SECONDS = 600;
/** How long what it starts with may take after it can be reached again. */
const SETTLE_SECONDS = 60;
/** Errors of a connection or a shell that ends because its machine does. */
const GOING_DOWN: readonly string[] = ['KX3011', 'KX3030', 'KX3031'];

function secondsOf(want: Reboot): number {
  return typeof want.timeoutSeconds === 'number' ? want.timeoutSeconds : DEFAULT_SECONDS;
}

/** Whether something failed only because the machine goes down. One that does not come back is lost: that is no such thing. */
function goesDown(error: unknown): boolean {
  return error instanceof KubexmError && GOING_DOWN.includes(error.code);
}

/** Restarts the machine, unless that has happened already, and waits until it is there again as another boot. */
async function restart(host: Host, want: Reboot, io: StepIo): Promise<void> {
  const { reason } = want;
  const answer = await host.run(beginReboot(reason));
  const begun = parseBegun(answer.stdout);
  if (answer.code !== 0 || begun === undefined)
    throw kubexmError('KX5201', { host: host.name, reason: answer.stderr.trim() || 'it does not tell its boot' });
  if (begun !== 'done') {
    await askFor(host, want);
    await wait(host, want, begun.boot, io);
  }
  await host.run(waitForBoot(SETTLE_SECONDS), { timeoutSeconds: SETTLE_SECONDS + 30, signal: io.signal });
}

async function askFor(host: Host, want: Reboot): Promise<void> {
  try {
    const asked = await host.run(startReboot(), { timeoutSeconds: 30, awaySeconds: secondsOf(want) });
    if (asked.code === 0) return;
    await host.run(forgetReboot(want.reason));
    throw kubexmError('KX5201', { host: host.name, reason: asked.stderr.trim() || `exit code ${asked.code}` });
  } catch (error) {
    if (!goesDown(error)) throw error;
  }
}

async function wait(host: Host, want: Reboot, boot: string, io: StepIo): Promise<void> {
  const seconds = secondsOf(want);
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    await delay(1000, undefined, { signal: io.signal });
    try {
      const answer = await host.run(lookAfterReboot(want.reason, boot), { timeoutSeconds: 20, signal: io.signal });
      if (answer.stdout.trim() === 'new') return;
    } catch (error) {
      if (!goesDown(error)) throw error;
    }
  }
  throw kubexmError('KX5202', { host: host.name, seconds });
}

const shared = {
  nature: 'action' as const,
  apply: (host: Host, want: Reboot, io: StepIo): Promise<void> => restart(host, want, io),
  timeoutSeconds: (want: Reboot) => secondsOf(want) + SETTLE_SECONDS + 60,
  estimateSeconds: 60,
};

/** Restarts the machine every time it is reached. */
export const reboot = defineStep<Reboot>()({
  ...shared,
  kind: 'reboot',
  description: 'Restarts the machine and waits until it is back; one that was cut off half-way is not restarted twice.',
  title: (want) => `restart: ${want.reason}`,
  example: { reason: 'kernel parameters have changed' },
});

/** Restarts the machine if the system asks for it: a new kernel or a new base library was installed. */
export const rebootIfNeeded = defineStep<Reboot>()({
  ...shared,
  kind: 'rebootIfNeeded',
  description:
    'Restarts the machine if the system asks for it, or the modules of its kernel are gone, and waits until it is back.',
  title: (want) => `restart if needed: ${want.reason}`,
  probe: () => lookForReboot(),
  judge: (output) => {
    const why = output.stdout.split('\n').filter((line) => line !== '');
    return why.length === 0
      ? satisfied()
      : needed(
          {},
          why.map((line) => ({ what: 'restart', to: line })),
        );
  },
  example: { reason: 'packages were upgraded' },
});
