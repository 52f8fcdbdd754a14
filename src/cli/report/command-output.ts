import { type EventError, type ExitCode, errorTitle, type RunEvent, type RunReport } from '../../index.ts';
import { printableLines } from '../../model/text/printable.ts';
import { padText, textWidth } from '../../model/text/width.ts';
import { failureLines, noteStyle } from '../failures.ts';
import type { Io } from '../io.ts';
import type { Style } from '../output/color.ts';
import { printValue } from '../output/print-data.ts';
import { countText } from '../texts/index.ts';
import { plainView } from '../view/plain.ts';
import type { RunView } from '../view/run-view.ts';

/** What a command gave on one host. */
export interface HostResult {
  readonly host: string;
  code?: number;
  stdout?: string;
  stderr?: string;
  /** It printed more than was kept. */
  truncated?: true;
  durationMs?: number;
  error?: EventError;
  /** Not asked, or lost on the way: nobody knows what the command did there. */
  unreached?: true;
}

type Format = 'text' | 'json' | 'yaml';

const HOST_STYLES: readonly Style[] = ['cyan', 'magenta', 'blue', 'green', 'yellow'];

/** Shows what hosts print as soon as they are done, each line behind its host's name; or keeps it for the end. */
export function commandView(
  hosts: readonly string[],
  format: Format,
  io: Io,
): { view: RunView; results: readonly HostResult[] } {
  const results = new Map(hosts.map((host): [string, HostResult] => [host, { host }]));
  const width = hosts.reduce((most, host) => Math.max(most, textWidth(host)), 0);
  const sign = io.unicode ? '│' : '|';
  const prefix = (host: string, paint: Io['paint']): string => {
    const style = HOST_STYLES[hosts.indexOf(host) % HOST_STYLES.length] ?? 'plain';
    return paint(style, `${padText(host, width)} ${sign}`);
  };
  const heartbeat = plainView({
    write: (text) => void io.stderr.write(text),
    pipeline: 'run command',
    lang: io.lang,
    verbose: false,
    leaveOut: (event) => event.type !== 'warning',
  });
  const take = (event: RunEvent): void => {
    const result = 'host' in event ? results.get(event.host) : undefined;
    if (!result) return;
    if (event.type === 'node-output') {
      const { code, stdout, stderr, truncated } = event;
      Object.assign(result, { code, stdout, stderr, ...(truncated ? { truncated } : {}) });
      if (format !== 'text') return;
      io.print(printableLines(event.stdout).map((line) => `${prefix(result.host, io.paint)} ${line}`));
      io.note(printableLines(event.stderr).map((line) => `${prefix(result.host, io.paintNote)} ${line}`));
      if (truncated) io.note(io.paintNote('yellow', io.say('command.truncated', { host: result.host })));
    } else if (event.type === 'node-finished') {
      result.durationMs = Math.round(event.durationMs);
      if (event.error) result.error = event.error;
    } else if (event.type === 'host-lost') Object.assign(result, { error: event.error, unreached: true });
  };
  const sink: RunView['sink'] = (event) => {
    heartbeat.sink(event);
    take(event);
  };
  return { view: { ...heartbeat, sink }, results: [...results.values()] };
}

/** Says how it ended on which hosts, and gives the exit code: 0 only when it is 0 on all of them. */
export async function endOfCommand(
  report: RunReport,
  results: readonly HostResult[],
  format: Format,
  io: Io,
): Promise<ExitCode> {
  for (const { host, error } of report.unreachable) {
    const result = results.find((one) => one.host === host);
    if (result) Object.assign(result, { error, unreached: true });
  }
  const unreached = results.filter((one) => one.unreached);
  const failed = results.filter((one) => !one.unreached && one.code !== 0);
  if (format !== 'text') {
    printValue(
      io,
      format,
      results.map((result) => resultValue(result, io)),
    );
  } else {
    // What a command printed has been seen already; that it took too long has not.
    const unsaid = results.flatMap(({ host, code, error }) => (code === undefined && error ? [{ host, error }] : []));
    io.note(await failureLines(unsaid, noteStyle(io)));
    if (failed.length > 0 || results.length > 1) io.note(summary(results.length, failed, unreached.length, io));
  }
  if (report.outcome === 'interrupted') return 130;
  if (failed.length > 0) return 1;
  if (unreached.length === 0) return 0;
  return unreached.length === results.length ? 5 : 7;
}

function resultValue(result: HostResult, { lang }: Io) {
  const { host, code = null, stdout = '', stderr = '', durationMs = null, error } = result;
  const failed =
    error && code === null ? { error: { code: error.code, message: errorTitle(error.code, error.params, lang) } } : {};
  const cut = result.truncated ? { truncated: true } : {};
  return { host, code, stdout, stderr, ...cut, durationMs, ...failed };
}

function summary(hosts: number, failed: readonly HostResult[], unreached: number, io: Io): string {
  const { say, paintNote: paint } = io;
  const codes = failed.map((one) => `${one.host}=${one.code ?? one.error?.code ?? '?'}`);
  const shown =
    codes.length > 12 ? say('andMore', { names: codes.slice(0, 12).join(' '), n: codes.length - 12 }) : codes.join(' ');
  const parts = [
    countText(say, 'host', hosts),
    say('command.ok', { n: hosts - failed.length - unreached }),
    ...(failed.length === 0 ? [] : [paint('red', say('command.failed', { n: failed.length, codes: shown }))]),
    ...(unreached === 0 ? [] : [paint('yellow', say('command.unreached', { n: unreached }))]),
  ];
  return paint('dim', '— ') + parts.join(say('listComma'));
}
