import { heartbeatLine, type Lang, type RunEvent } from '../../index.ts';
import { eventLines } from '../report/step-report.ts';
import { speaker } from '../texts/index.ts';
import { reduceAll } from './reduce.ts';
import type { RunView } from './run-view.ts';
import { initialState } from './state.ts';
import { runningText } from './tasks.ts';

/** How the plain view is made. */
export interface PlainViewOptions {
  readonly write: (text: string) => void;
  readonly pipeline: string;
  readonly lang: Lang;
  readonly verbose: boolean;
  /** Events that are shown elsewhere. */
  readonly leaveOut?: (event: RunEvent) => boolean;
  /** After so long without a line, one says that the run is alive. */
  readonly heartbeatMs?: number;
  readonly now?: () => number;
}

const HEARTBEAT_MS = 15_000;

/** The view where there is no terminal: one line for each change of state, and a sign of life. */
export function plainView(options: PlainViewOptions): RunView {
  const { lang, verbose, write } = options;
  const now = options.now ?? Date.now;
  const heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
  let state = initialState(options.pipeline, now());
  let waiting: RunEvent[] = [];
  let spoken = now();

  const tell = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    spoken = now();
    write(lines.map((line) => `${line}\n`).join(''));
  };
  const tick = (): void => {
    state = reduceAll(state, waiting);
    waiting = [];
    if (now() - spoken < heartbeatMs) return;
    const running = [...state.running.values()].map(runningText);
    const { done, nodes, builds } = state;
    const building = builds !== undefined && builds.built < builds.programs ? builds : undefined;
    tell([heartbeatLine({ done, nodes, elapsedMs: now() - state.since, running, builds: building }, { lang })]);
  };
  const timer = setInterval(tick, Math.min(1000, heartbeatMs));
  timer.unref();

  return {
    sink: (event) => {
      waiting.push(event);
      // The end has a report of its own.
      if (event.type === 'run-finished' || options.leaveOut?.(event)) return;
      tell(eventLines(event, { lang, verbose }));
    },
    interrupted: (how) => tell([speaker(lang)(how)]),
    aside: (work) => work(),
    close: () => clearInterval(timer),
  };
}
