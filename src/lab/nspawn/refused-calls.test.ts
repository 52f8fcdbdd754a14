import { expect, test } from 'vitest';
import { refusingCalls } from './refused-calls.ts';
import { run } from './run.ts';

// Calls on what does not exist: 1 is EPERM, 2 ENOENT.
const SWAPOFF = { x64: 168, arm64: 225 }[process.arch as string] ?? 0;
const PROGRAM = `my $swap = "/nonexistent/swap"; syscall(${SWAPOFF}, $swap); print $! + 0, " "; open(F, "<", "/nonexistent") or print $! + 0, " @ARGV"`;
const canRefuse = process.platform === 'linux' && process.getuid?.() === 0 && refusingCalls().length > 0;

test('what machines may not call is refused, all else is not, and words stay words', async (context) => {
  if (!canRefuse) return context.skip('needs root');
  const [command = '', ...words] = [...refusingCalls(), 'perl', '-e', PROGRAM, 'a b', '--', '-c'];
  expect(await run(command, words)).toEqual({ code: 0, stdout: '1 2 a b -- -c', stderr: '' });
  expect((await run('perl', ['-e', PROGRAM])).stdout).toBe('2 2 ');
});

test('a program that is not there is said', async (context) => {
  if (!canRefuse) return context.skip('needs root');
  const [command = '', ...words] = [...refusingCalls(), 'kubexm-no-such-program'];
  expect(await run(command, words)).toMatchObject({
    code: 2,
    stderr: 'kubexm-no-such-program: No such file or directory\n',
  });
});

test('where the calls’ numbers are not known, nothing is put ahead', () => {
  expect(refusingCalls('riscv64')).toEqual([]);
});
