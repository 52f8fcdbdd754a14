import type { Interruption } from './view/run-view.ts';

/** Where signals come from. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** The two signals a run listens to, and how to stop listening. */
export interface Interrupts {
  readonly drain: AbortSignal;
  readonly stop: AbortSignal;
  release(): void;
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Ctrl-C once lets what runs finish, twice stops now, three times ends the process whatever it does. */
export function catchInterrupts(source: SignalSource, tell: (how: Interruption) => void, kill: () => void): Interrupts {
  const drain = new AbortController();
  const stop = new AbortController();
  const listener = (): void => {
    if (stop.signal.aborted) {
      kill();
      return;
    }
    const how = drain.signal.aborted ? 'stopping' : 'draining';
    (how === 'draining' ? drain : stop).abort();
    tell(how);
  };
  for (const signal of SIGNALS) source.on(signal, listener);
  return {
    drain: drain.signal,
    stop: stop.signal,
    release: () => {
      for (const signal of SIGNALS) source.removeListener(signal, listener);
    },
  };
}
