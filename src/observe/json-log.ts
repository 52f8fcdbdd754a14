import { kubexmError } from '../model/errors/index.ts';
import type { EventError, RunEvent } from '../model/event.ts';
import { inLanguage } from '../model/text/spoken.ts';
import { plainLines } from './plain.ts';
import { openPrivate, reasonOf } from './private-file.ts';
import type { Sink } from './sink.ts';
import { say } from './texts.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** How the log is written. */
export interface JsonLogOptions {
  /** What is below is left out. Default `debug`: everything. */
  readonly level?: Level;
}

/**
 * Opens a run's log: one JSON object a line, in a file of mode 0600. Lines are handed to the system as they come, without
 * waiting; `close` waits for all of them. Throws KX8006 when the file cannot be opened.
 */
export async function openJsonLog(path: string, options: JsonLogOptions = {}): Promise<Sink> {
  // Loaded here, so that commands without a run do not pay for it.
  const { openLogStream } = await import('./log-stream.ts');
  const { logger, stream } = openLogStream(opened(path), options.level ?? 'debug');
  let failure: Error | undefined;
  let report: (error: EventError) => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.on('error', (error: Error) => {
      if (failure === undefined) report({ code: 'KX8006', params: { file: path, reason: reasonOf(error) } });
      failure = error;
      resolve();
    });
  });
  return {
    name: 'log',
    connect(tell) {
      report = tell;
    },
    write(event) {
      if (failure !== undefined) return;
      const { message, ...fields } = logFields(event);
      logger[levelOf(event)](fields, message);
    },
    async close() {
      stream.end();
      await done;
    },
  };
}

function opened(path: string): number {
  try {
    return openPrivate(path);
  } catch (error) {
    throw kubexmError('KX8006', { file: path, reason: reasonOf(error) }, { cause: error });
  }
}

/** What a line of the log says. Fields that an event does not have are left out. */
interface LogFields {
  readonly timestamp: string;
  readonly pipeline_id: string;
  readonly event: RunEvent['type'];
  readonly message: string;
  readonly module?: string;
  readonly task?: string;
  readonly step?: string;
  readonly node?: string;
  readonly host?: string;
  readonly duration_ms?: number;
  readonly outcome?: string;
  readonly code?: string;
  readonly [more: string]: unknown;
}

/** An event as the fields that the log has for all events, and the event's own under their names. */
function logFields(event: RunEvent): LogFields {
  const { at, run, type, ...own } = event;
  const { durationMs, error, code, ...more } = own as Record<string, unknown> & { error?: EventError; code?: number };
  return {
    timestamp: new Date(at).toISOString(),
    pipeline_id: run,
    event: type,
    ...more,
    ...(durationMs === undefined ? {} : { duration_ms: durationMs as number }),
    ...(code === undefined ? {} : { exit_code: code }),
    ...(error === undefined ? {} : errorFields(error)),
    message: messageOf(event),
  };
}

function errorFields(error: EventError): Readonly<Record<string, unknown>> {
  const { code, params, detail, stack } = error;
  return { code, params, ...(detail === undefined ? {} : { detail }), ...(stack === undefined ? {} : { stack }) };
}

function messageOf(event: RunEvent): string {
  if (event.type === 'node-progress') {
    return say('progress', 'en', { node: event.node, done: event.done, total: event.total ?? '?' });
  }
  if (event.type === 'build-progress')
    return say('progress', 'en', { node: 'builds', done: event.built, total: event.programs });
  if (event.type === 'message') return inLanguage(event.text);
  return plainLines(event, { lang: 'en', verbose: true })[0] ?? event.type;
}

function levelOf(event: RunEvent): Level {
  switch (event.type) {
    case 'node-progress':
    case 'build-progress':
    case 'node-line':
    case 'node-output':
      return 'debug';
    case 'warning':
    case 'node-retry':
    case 'rollback-started':
      return 'warn';
    case 'host-lost':
      return 'error';
    case 'node-finished':
      if (event.outcome === 'failed' || event.outcome === 'dirty') return 'error';
      return event.outcome === 'unknown' || event.outcome === 'reverted' ? 'warn' : 'info';
    case 'task-finished':
      return event.outcome === 'ok' ? 'info' : 'error';
    case 'run-finished':
      return event.outcome === 'failed' ? 'error' : event.outcome === 'succeeded' ? 'info' : 'warn';
    default:
      return 'info';
  }
}
