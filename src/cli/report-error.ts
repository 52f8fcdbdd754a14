import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ExitCode } from '../index.ts';
import { nearest } from '../model/cluster/nearest.ts';
import { printable, printableLines } from '../model/text/printable.ts';
import { wrapText } from '../model/text/width.ts';
import { CliError, cliError } from './cli-error.ts';
import type { Io } from './io.ts';

/** Tells a person what went wrong, and gives the exit code. Never a raw stack, unless asked for. */
export async function reportError(error: unknown, io: Io): Promise<ExitCode> {
  try {
    return await report(error, io);
  } catch (second) {
    io.note(`KX1099 internal error: ${oneLine(error)} (${oneLine(second)})`);
    return 1;
  }
}

async function report(error: unknown, io: Io): Promise<ExitCode> {
  const { ConfigError, errorRemedy, errorTitle, findError, KubexmError, renderProblems } = await import('../index.ts');
  if (error instanceof ConfigError) {
    const { problems, source } = error;
    io.note(renderProblems(problems, source, { lang: io.lang, color: io.colorNote }).trimEnd().split('\n'), '');
  }
  const known = error instanceof KubexmError || error instanceof CliError ? error : internal(error, io);
  const params = { ...known.params };
  if (known instanceof CliError) {
    const close = known.similar && nearest(known.similar.word, known.similar.among);
    params['hint'] = close === undefined ? '' : io.say('didYouMean', { word: close });
  }
  const { code } = known;
  const title = printable(errorTitle(code, params, io.lang));
  const host = known instanceof KubexmError ? known.host : undefined;
  const where = host === undefined || title.includes(host) ? '' : `${host}: `;
  io.note(`${io.paintNote('boldRed', io.say('errorWord'))} ${io.paintNote('dim', code)} ${where}${title}`);
  if (known.detail)
    io.note(
      ...printableLines(known.detail).map((line) => `  ${io.paintNote('dim', `${io.unicode ? '│' : '|'} ${line}`)}`),
    );
  io.note(wrapText(errorRemedy(code, params, io.lang), io.noteWidth - 2).map((line) => `  ${line}`));
  if (io.debug) io.note('', ...stackOf(known.cause ?? known));
  return findError(code)?.exit ?? 1;
}

/** A defect: its stack goes into a file that can be sent along. */
function internal(error: unknown, io: Io): CliError {
  const file = keepStack(error, io);
  const log = file === undefined ? '' : io.say('internalLog', { file });
  return cliError('KX1099', { reason: oneLine(error), log }, { cause: error });
}

function keepStack(error: unknown, { env }: Io): string | undefined {
  const home = env['HOME'] ?? homedir();
  const state = env['KUBEXM_HOME'] ?? join(env['XDG_STATE_HOME'] ?? join(home, '.local', 'state'), 'kubexm');
  const file = join(state, `crash-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.log`);
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${stackOf(error).join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    return file;
  } catch {
    return undefined;
  }
}

function oneLine(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}` : String(error);
  return printableLines(text)[0] ?? 'unknown';
}

function stackOf(error: unknown): string[] {
  return (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n');
}
