#!/usr/bin/env node
import { fstatSync } from 'node:fs';
import { runCli } from './run-cli.ts';

// Node's own warnings (an experimental module, a deprecation) are not for the people who use kubexm.
process.removeAllListeners('warning');
if (process.env['KUBEXM_DEBUG']) process.on('warning', (warning) => void process.stderr.write(`${warning.stack ?? warning}\n`));

// A reader that went away (`kubexm get events | head`) ends the writing, not the work.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const code = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(code);
