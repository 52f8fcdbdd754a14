import { spawn } from 'node:child_process';
import type { ExitCode } from '../../index.ts';
import type { Call, CommandSpec } from '../command-spec.ts';

/** `kubexm lab ssh MACHINE [-- COMMAND…]` */
export const labSshCommand: CommandSpec = {
  path: 'lab ssh',
  summary: 'cmd.lab-ssh',
  details: 'cmd.lab-ssh.details',
  examples: [
    { line: 'kubexm lab ssh t-1', text: 'ex.lab-ssh' },
    { line: 'kubexm lab ssh t-1 -- systemctl status', text: 'ex.lab-ssh-command' },
  ],
  arguments: [
    { name: '<machine>', text: 'arg.machine', kind: 'machine' },
    { name: '[command...]', text: 'arg.command', kind: 'command' },
  ],
  action: logIn,
};

// What ssh itself ends with when it has no connection.
const NO_CONNECTION = 255;

async function logIn({ io, args }: Call): Promise<ExitCode> {
  const [name = '', ...command] = args;
  const { findMachine, kubexmError, quote, sshWords } = await import('../../index.ts');
  const machine = await findMachine(name, { env: io.env });
  if (machine.state !== 'running') throw kubexmError('KX6014', { machine: machine.name });
  // As for `run command`: one word is a line for the shell, several are a command and its arguments.
  const line = command.length === 1 ? command : command.map((word) => quote(word));
  const wantsTerminal = command.length === 0 && io.stdin.isTTY === true;
  const words = [
    ...(wantsTerminal ? ['-t'] : []),
    ...(await sshWords(machine)),
    ...(line.length > 0 ? ['--', ...line] : []),
  ];
  const code = await inForeground(words);
  if (code === NO_CONNECTION) return 5;
  return code === 0 ? 0 : 1;
}

/** Gives the terminal to ssh until it ends: Ctrl-C is for what runs there. */
async function inForeground(words: readonly string[]): Promise<number> {
  const { kubexmError } = await import('../../index.ts');
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    const child = spawn('ssh', words, { stdio: 'inherit' });
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        const missing = error.code === 'ENOENT';
        reject(missing ? kubexmError('KX6610', { tool: 'ssh', package: 'openssh-client' }, { cause: error }) : error);
      });
      child.once('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
    });
  } finally {
    process.removeListener('SIGINT', ignore);
  }
}
