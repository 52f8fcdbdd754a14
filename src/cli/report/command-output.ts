import { type EventError, type ExitCode, errorTitle, type RunEvent, type RunReport } from '../../index.ts';
import { failureLines } from '../failures.ts';
import type { Io } from '../io.ts';
import type { Style } from '../output/color.ts';
import { printValue } from '../output/print-data.ts';
import { printableLines } from '../output/printable.ts';
import { padText, textWidth } from '../output/width.ts';
import { countText } from '../texts/index.ts';
import { plainView } from '../view/plain.ts';
import type { RunView } from '../view/run-view.ts';

/** What a command gave on one host. */
export interface HostResult {
  readonly host: string;
  code?: number;
  stdout?: string;
  stderr?: string;
  durationMs?: number;
  error?: EventError;
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
      Object.assign(result, { code: event.code, stdout: event.stdout, stderr: event.stderr });
      if (format !== 'text') return;
      io.print(...printableLines(event.stdout).map((line) => `${prefix(result.host, io.paint)} ${line}`));
      io.note(...printableLines(event.stderr).map((line) => `${prefix(result.host, io.paintNote)} ${line}`));
    } else if (event.type === 'node-finished') {
      result.durationMs = Math.round(event.durationMs);
      if (event.error) result.error = event.error;
    } else if (event.type === 'host-lost') result.error = event.error;
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
  const errors = new Map(report.unreachable.map((one) => [one.host, one.error]));
  for (const result of results) {
    const error = result.error ?? errors.get(result.host);
    if (error) result.error = error;
  }
  if (format !== 'text') {
    printValue(
      io,
      format,
      results.map((result) => resultValue(result, io)),
    );
  } else {
    const said = results.filter((one) => one.code !== undefined && one.code !== 0);
    const unsaid = results.filter((one) => one.code === undefined && one.error);
    const others = unsaid.map((one) => ({ host: one.host, error: one.error as EventError }));
    io.note(...(await failureLines(others, { lang: io.lang, paint: io.paintNote, unicode: io.unicode })));
    if (said.length > 0 || results.length > 1) io.note(summary(results, said, unsaid.length, io));
  }
  if (report.outcome === 'interrupted') return 130;
  if (results.some((one) => one.code !== undefined && one.code !== 0) || report.failures.length > 0) return 1;
  const silent = results.filter((one) => one.code === undefined).length;
  if (silent === 0) return 0;
  return silent === results.length ? 5 : 7;
}

function resultValue(result: HostResult, { lang }: Io) {
  const { host, code = null, stdout = '', stderr = '', durationMs = null, error } = result;
  const failed =
    error && code === null ? { error: { code: error.code, message: errorTitle(error.code, error.params, lang) } } : {};
  return { host, code, stdout, stderr, durationMs, ...failed };
}

function summary(results: readonly HostResult[], failed: readonly HostResult[], silent: number, io: Io): string {
  const { say, paintNote: paint } = io;
  const codes = failed.map((one) => `${one.host}=${one.code}`);
  const shown =
    codes.length > 12 ? say('andMore', { names: codes.slice(0, 12).join(' '), n: codes.length - 12 }) : codes.join(' ');
  const parts = [
    countText(say, 'host', results.length),
    say('command.ok', { n: results.length - failed.length - silent }),
    ...(failed.length === 0 ? [] : [paint('red', say('command.failed', { n: failed.length, codes: shown }))]),
    ...(silent === 0 ? [] : [paint('yellow', say('command.silent', { n: silent }))]),
  ];
  return paint('dim', '— ') + parts.join(say('listComma'));
}
