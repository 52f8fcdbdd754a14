import { askPerson, confirmByName } from '../../../src/cli/ask.ts';
import { earlyFlags, makeIo } from '../../../src/cli/io.ts';
import { reportError } from '../../../src/cli/report-error.ts';

// Asks on the terminal it is started in: node ask.ts confirm|secret|text|name
const { stdin, stdout, stderr, env } = process;
const io = makeIo({ stdin, stdout, stderr, env, cwd: process.cwd() }, earlyFlags(process.argv.slice(3), env));
const kind = process.argv[2] ?? '';
try {
  if (kind === 'name') await confirmByName('prod', io);
  else
    io.print(
      `answer: ${await askPerson({ text: 'Go on?', confirm: kind === 'confirm', secret: kind === 'secret' }, io)}`,
    );
  io.print('the end');
  process.exit(0);
} catch (error) {
  io.print(`exit ${await reportError(error, io)}`);
  process.exit(0);
}
