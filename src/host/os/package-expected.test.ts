import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { posixShells, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { expectPackages, restoreExpected } from './package.ts';

test.each(posixShells())(
  'in $name: packages that never came leave nothing behind, also where nothing can install them',
  async (shell) => {
    const dir = await mkdtemp(join(tmpdir(), 'kx-expected-'));
    const aim = { install: [{ name: 'nfs-common' }], remove: [] };
    const places = { state: join(dir, 'state'), run: join(dir, 'run') };
    const run = (script: string) => runWithLibrary(shell, `command() { return 1; }\n${script}`, places);
    try {
      expect(await run(expectPackages(aim).script)).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(join(dir, 'state', 'packages'))).toBe(true);
      expect(await run(restoreExpected(aim, 0).script)).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(join(dir, 'state'))).toBe(false);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
);
