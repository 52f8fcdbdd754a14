import { cliError } from './cli-error.ts';
import { runCli } from './entry.ts';
import { earlyFlags, makeIo, type Streams } from './io.ts';
import { reportError } from './report-error.ts';

const argv = process.argv.slice(2);
const { stdin, stdout, stderr, env } = process;
const streams: Streams = { stdin, stdout, stderr, env, cwd: process.cwd() };
const report = (error: unknown) => reportError(error, makeIo(streams, earlyFlags(argv, env)));

// Node's own warnings (an experimental module, a deprecation) are not for the people who use kubexm.
process.removeAllListeners('warning');
if (env['KUBEXM_DEBUG']) process.on('warning', (warning) => void stderr.write(`${warning.stack ?? warning}\n`));

// A reader that went away (`kubexm get events | head`) ends the writing, not the work; a full disk is an error.
let unwritten: NodeJS.ErrnoException | undefined;
stderr.on('error', () => undefined);
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') unwritten ??= error;
});

const crash = (error: unknown): void => {
  void report(error).finally(() => process.exit(1));
};
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

const code = await runCli(argv, streams);
await Promise.all([stdout, stderr].map((stream) => new Promise((done) => void stream.write('', done))));
process.exit(unwritten ? await report(cliError('KX1031', { file: 'stdout', reason: unwritten.message })) : code);
