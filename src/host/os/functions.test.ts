import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { lines, rawScript, type Script } from '../../model/script.ts';
import { loadModules } from './module.ts';
import { beginReboot, forgetReboot, lookAfterReboot } from './reboot.ts';
import { SWAP_FUNCTIONS, turnOn } from './swap.ts';
import { lookAtUser, type UserAim } from './user.ts';

inEveryShell('functions of scripts', (shell, test) => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'kx-os-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Runs a script with stand-ins for the programs of the system. */
  const run = async (stubs: string, script: Script) =>
    await runWithLibrary(shell, lines(rawScript(stubs), script).script, {
      state: join(dir, 'state'),
      run: join(dir, 'run'),
    });

  test('swap that is gone stays off, a priority of the kernel is not given to it', async () => {
    const space = join(dir, 'my swap');
    writeFileSync(space, '');
    const on = [
      { name: space, type: 'file', priority: -2 },
      { name: space, type: 'file', priority: 7 },
      { name: join(dir, 'gone'), type: 'file', priority: -3 },
    ];
    const { code, stdout, stderr } = await run(
      `swapon() { printf 'swapon'; printf ' <%s>' "$@"; echo; }`,
      lines(SWAP_FUNCTIONS, turnOn(on)),
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `swapon <${space}>\nswapon <-p> <7> <${space}>\n`,
      stderr: `swap ${join(dir, 'gone')} is gone: it stays off\n`,
    });
  });

  test('optional modules that the kernel does not have are left out, required ones end the script', async () => {
    const stub = `modprobe() { case "$1 $2" in '-D kx-one') echo 'insmod /lib/modules/kx-one.ko' ;; '-- kx-one') ;; *) return 1 ;; esac; }`;
    const told = rawScript('echo "there:$kxo_present"');
    expect(await run(stub, lines(loadModules(['kx-one'], ['kx-two']), told))).toEqual({
      code: 0,
      stdout: 'there: kx-one\n',
      stderr: '',
    });
    const { code, stdout, stderr } = await run(stub, lines(loadModules(['kx-two'], []), told));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/kernel .*kx-two/);
  });

  test('what a user is, and where its home is or would be', async () => {
    const aim: UserAim = { name: 'one', groups: [], createHome: true, system: false };
    const stubs = `getent() { case $2 in one) echo "one:x:7:7:c:${dir}:/bin/sh" ;; *) return 2 ;; esac; }
id() { case $1 in -gn) echo first ;; *) echo first second ;; esac; }
useradd() { echo HOME=${dir}; }`;
    const one = await run(stubs, lookAtUser(aim));
    expect(one.stdout).toBe(
      `passwd one:x:7:7:c:${dir}:/bin/sh\nprimary first\ngroups first second\ngroup yes\nhome yes\n`,
    );
    expect((await run(stubs, lookAtUser({ ...aim, name: 'two' }))).stdout).toBe('');
    expect((await run(stubs, lookAtUser({ ...aim, name: 'two', home: dir }))).stdout).toBe('home yes\n');
  });

  test('a restart is noted once, and known to have happened only to the run that noted it', async () => {
    const owner = (name: string) => `mkdir -p "$KX_RUN" && printf 'token ${name}\\n' >"$KX_RUN/lock.owner"`;
    const begun = await run(owner('run-1'), beginReboot('why'));
    const boot = /^boot (\S+)\n$/.exec(begun.stdout)?.[1] ?? '';
    expect(boot).toMatch(/^[0-9a-f-]{36}$/);
    expect((await run('', lookAfterReboot('why', boot))).stdout).toBe('same\n');
    const note = 'for f in "$KX_STATE"/reboot/*; do echo "another-boot run-1" >"$f"; done';
    expect((await run(`${owner('run-2')}\n${note}`, beginReboot('why'))).stdout).toBe(`boot ${boot}\n`);
    expect((await run(`${owner('run-1')}\n${note}`, beginReboot('why'))).stdout).toBe('done\n');
    expect((await run('ls -A "$KX_STATE" 2>/dev/null', forgetReboot('why'))).stdout).toBe('');
  });
});
