import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAIN, plainEnv } from './rig/cli.ts';

/** A line for the shell in which `kubexm` is the real command line. */
function shell(line: string) {
  const kubexm = `kubexm() { "${process.execPath}" "${MAIN}" "$@"; }`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `${kubexm}\nset -o pipefail\n${line}`], {
    env: plainEnv(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('a reader that goes away is no error', () => {
  expect(shell('kubexm explain | head -1')).toMatchObject({ status: 0, stderr: '' });
  expect(shell('kubexm generate schema | true')).toMatchObject({ status: 0, stderr: '' });
});

test('closed streams are no error', () => {
  expect(shell('kubexm version >&-')).toMatchObject({ status: 0, stderr: '' });
  expect(shell('kubexm gt 2>&-')).toMatchObject({ status: 64, stdout: '' });
});

test.skipIf(!existsSync('/dev/full'))('a full disk is an error', () => {
  const { status, stderr } = shell('kubexm explain >/dev/full');
  expect(status).toBe(1);
  expect(stderr).toContain('KX1031 cannot write stdout');
});

test('data on stdout, everything else on stderr', () => {
  expect(JSON.parse(shell('kubexm version -o json 2>/dev/null').stdout)).toHaveProperty('version');
  expect(shell('kubexm config get-contexts 2>/dev/null').stdout).toBe('');
});
