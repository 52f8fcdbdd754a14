import type { EventError, EventSink, RunEvent } from '../model/event.ts';
import type { Redactor } from './redact/redactor.ts';

/** A consumer of events. */
export interface Sink {
  /** For people: `log`, `event store`. */
  readonly name: string;
  /** Takes an event that has no secrets any more. */
  write(event: RunEvent): void;
  /** Told once how to report its own trouble: it becomes a warning in the same stream. */
  connect?(report: (error: EventError) => void): void;
  /** Writes what is still waiting. */
  close?(): void | Promise<void>;
}

/** What the engine writes to. */
export type FanOut = EventSink & {
  /** Lets every consumer finish. Never throws. */
  close(): Promise<void>;
};

// A sink that fails this often in a row is broken for good; asking it again would only cost time.
const GIVE_UP_AFTER = 100;

interface Fed {
  readonly sink: Sink;
  failures: number;
  warned: boolean;
}

/**
 * Gives every event, redacted once, to every sink. A sink that throws causes one warning, sent to the others; the run goes on.
 */
export function fanOut(redactor: Redactor, sinks: readonly Sink[]): FanOut {
  const feds: readonly Fed[] = sinks.map((sink) => ({ sink, failures: 0, warned: false }));
  // Trouble from before the first event waits for it: only then the run is known.
  const waiting: { readonly error: EventError; readonly except: Fed | undefined }[] = [];
  let run: string | undefined;

  const give = (event: RunEvent, except?: Fed): void => {
    for (const fed of feds) {
      if (fed === except || fed.failures >= GIVE_UP_AFTER) continue;
      try {
        fed.sink.write(event);
        fed.failures = 0;
      } catch (error) {
        fed.failures++;
        failed(fed, error);
      }
    }
  };
  const warn = (error: EventError, except: Fed | undefined): void => {
    if (run === undefined) waiting.push({ error, except });
    else give(redactor.event({ type: 'warning', at: Date.now(), run, error }), except);
  };
  const failed = (fed: Fed, error: unknown): void => {
    if (fed.warned) return;
    fed.warned = true;
    const reason = error instanceof Error ? error.message : String(error);
    warn({ code: 'KX8001', params: { sink: fed.sink.name, reason } }, fed);
  };

  for (const fed of feds) fed.sink.connect?.((error) => warn(error, fed));

  const write = (event: RunEvent): void => {
    run = event.run;
    give(redactor.event(event));
    for (const { error, except } of waiting.splice(0)) warn(error, except);
  };
  const close = async (): Promise<void> => {
    for (const fed of feds) {
      try {
        await fed.sink.close?.();
      } catch (error) {
        failed(fed, error);
      }
    }
  };
  return Object.assign(write, { close });
}

/** A sink out of a function: for the terminal, a test, a stream. */
export function sinkOf(name: string, write: EventSink): Sink {
  return { name, write };
}
