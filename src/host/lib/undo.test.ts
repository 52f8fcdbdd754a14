import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import {
  chmod,
  lutimes,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, onPath, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { quote } from '../../model/script.ts';

inEveryShell('undo', (shell, test) => {
  let dir: string;
  let state: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-undo-'));
    state = join(dir, 'state/kubexm');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const sh = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await runWithLibrary(shell, script, { state, run: join(dir, 'run') });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return stdout;
  };
  /** Everything about a tree that a restore must bring back. busybox cp keeps whole seconds, and no times of links. */
  const picture = (path: string): string => {
    const time = shell.name === 'busybox' ? '' : '%T@';
    const list = `find . -printf '%p %y %m %U %G ${time} %l\\n' | sort && find . -type f -exec sha256sum {} + | sort`;
    return execFileSync('sh', ['-c', `cd ${quote(path)} && ${list}`], { encoding: 'utf8' });
  };

  test('a file: content, mode and time come back', async () => {
    const file = join(dir, 'a');
    await writeFile(file, 'before');
    await chmod(file, 0o751);
    await utimes(file, 1000, 2000);
    await sh(`kx_save run/node ${file}; echo after >${file}; chmod 600 ${file}; kx_restore run/node`);
    expect(await readFile(file, 'utf8')).toBe('before');
    const { mode, mtimeMs } = await stat(file);
    expect([mode & 0o7777, mtimeMs]).toEqual([0o751, 2_000_000]);
  });

  test('what was not there is removed: file, directory, link', async () => {
    const paths = ['f', 'd', 'l'].map((name) => join(dir, 'x', name));
    await mkdir(join(dir, 'x'));
    const [f, d, l] = paths;
    await sh(`kx_save k ${paths.join(' ')}; echo >${f}; mkdir -p ${d}/deep; ln -s / ${l}; kx_restore k`);
    expect(picture(join(dir, 'x')).split('\n').filter(Boolean)).toHaveLength(1);
  });

  test('links, also broken ones and those to directories', async () => {
    await mkdir(join(dir, 'real'));
    await symlink('/nowhere/at/all', join(dir, 'broken'));
    await symlink('real', join(dir, 'todir'));
    await lutimes(join(dir, 'todir'), 5, 6);
    await sh(
      `cd ${dir}; kx_save k "$PWD/broken" "$PWD/todir"; rm broken todir; mkdir todir; echo x >broken; kx_restore k`,
    );
    expect(await readlink(join(dir, 'broken'))).toBe('/nowhere/at/all');
    expect(await readlink(join(dir, 'todir'))).toBe('real');
    expect(lstatSync(join(dir, 'real')).isDirectory()).toBe(true);
  });

  test('a tree comes back exactly', async () => {
    const tree = join(dir, 'tree');
    await mkdir(join(tree, 'sub/deep'), { recursive: true });
    await writeFile(join(tree, 'sub/one'), 'one', { mode: 0o640 });
    await writeFile(join(tree, 'sub/deep/two'), Buffer.from([0, 255, 10]));
    await symlink('../one', join(tree, 'sub/deep/link'));
    await chmod(join(tree, 'sub'), 0o2770);
    const before = picture(tree);
    await sh(
      `kx_save k ${tree}; rm -r ${tree}/sub/deep; echo x >${tree}/new; chmod 700 ${tree}; kx_restore k; kx_restore k`,
    );
    expect(picture(tree)).toBe(before);
  });

  test('a directory that became a file, and the other way round', async () => {
    const [a, b] = [join(dir, 'a'), join(dir, 'b')];
    await mkdir(a);
    await writeFile(join(a, 'in'), '1');
    await writeFile(b, '2');
    await sh(`kx_save k ${a} ${b}; rm -r ${a} ${b}; echo >${a}; mkdir ${b}; echo >${b}/x; kx_restore k`);
    expect(await readFile(join(a, 'in'), 'utf8')).toBe('1');
    expect(await readFile(b, 'utf8')).toBe('2');
  });

  test('names with spaces, quotes, line ends and a dash in front', async () => {
    const paths = ["a b'c", '"$(id)"', 'two\nlines\n', '-rf', '*'].map((name) => join(dir, 'odd', name));
    await mkdir(join(dir, 'odd'));
    for (const path of paths) await writeFile(path, path);
    const before = picture(join(dir, 'odd'));
    await sh(`kx_save k ${paths.map(quote).join(' ')}; rm -r ${dir}/odd; mkdir ${dir}/odd; kx_restore k`);
    expect(picture(join(dir, 'odd')).replace(/^\. .*$/m, '')).toBe(before.replace(/^\. .*$/m, ''));
  });

  test('the first image of a key wins', async () => {
    const file = join(dir, 'a');
    await writeFile(file, 'first');
    await sh(`kx_save k ${file}; echo second >${file}; kx_save k ${file}; kx_restore k`);
    expect(await readFile(file, 'utf8')).toBe('first');
  });

  test('a record that was not finished does not count', async () => {
    const file = join(dir, 'a');
    await writeFile(file, 'first');
    await mkdir(join(state, 'undo/k.new12345/1'), { recursive: true });
    await sh(`kx_save k ${file}; echo second >${file}; kx_restore k`);
    expect(await readFile(file, 'utf8')).toBe('first');
  });

  test('what somebody else made of a path since is kept beside it, and told', async () => {
    const [file, other] = [join(dir, 'a'), join(dir, 'b')];
    await writeFile(file, 'before');
    const script = `kx_save k ${file} ${other}; echo ours >${file}; echo ours >${other}; kx_own_end k; echo theirs >${file}; kx_restore k`;
    const { code, stderr } = await runWithLibrary(shell, script, { state, run: join(dir, 'run') });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${file} was changed by somebody else since: what they made of it stays as ${file}.kubexm-kept\n`,
    });
    expect(await readFile(file, 'utf8')).toBe('before');
    expect(await readFile(`${file}.kubexm-kept`, 'utf8')).toBe('theirs\n');
    expect([existsSync(other), existsSync(`${other}.kubexm-kept`)]).toEqual([false, false]);
  });

  test('nothing that is mounted below a directory is ever removed with it', async (context) => {
    const tree = join(dir, 'tree');
    await mkdir(join(tree, 'data'), { recursive: true });
    await writeFile(join(tree, 'f'), 'before');
    // A mount of the test's own, in a namespace that ends with it.
    const script = `kx_save k ${tree}; echo after >${tree}/f; mount -t tmpfs none ${tree}/data || exit 77
      echo precious >${tree}/data/x; kx_restore k && exit 1; cat ${tree}/data/x; umount ${tree}/data; kx_restore k; cat ${tree}/f`;
    const lone = { name: shell.name, file: 'unshare', args: ['-m', shell.file, ...shell.args] };
    const { code, stdout, stderr } = await runWithLibrary(lone, script, { state, run: join(dir, 'run') });
    if (code === 77 || /unshare/.test(stderr)) context.skip('only root can mount');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'precious\nbefore' });
    expect(stderr).toContain('something is mounted on or below');
  });

  test('a step that saved nothing has nothing to put back', async () => {
    await sh('kx_save k; kx_restore k');
  });

  test('restoring without a record says so', async () => {
    const { code, stderr } = await runWithLibrary(shell, 'kx_restore nothing', { state, run: dir });
    expect([code, stderr]).toEqual([96, 'no before-image nothing\n']);
  });

  test('dropping leaves no trace, and only drops what was named', async () => {
    const file = join(dir, 'a');
    await sh(`kx_save r1/a ${file}; kx_save r1/b ${file}; kx_save r2/a ${file}; kx_undo_drop r1/a`);
    expect(['r1/a', 'r1/b', 'r2/a'].map((key) => existsSync(join(state, 'undo', key)))).toEqual([false, true, true]);
    await sh('kx_undo_drop r1');
    expect(existsSync(join(state, 'undo/r2/a'))).toBe(true);
    await sh('kx_undo_drop r2/a');
    expect(existsSync(state)).toBe(false);
  });

  test('records of runs that are over are forgotten, but not those of one that is at work', async () => {
    const file = join(dir, 'a');
    await sh(['r1', 'r2', 'r3', 'r4'].map((run) => `kx_save ${run}/a ${file}`).join('; '));
    const long = new Date(Date.now() - 40 * 86_400_000);
    await utimes(join(state, 'undo/r2'), long, long);
    expect(await sh('kx_undo_runs')).toBe('r1 0\nr2 40\nr3 0\nr4 0\n');
    await mkdir(join(dir, 'run/jobs/r3.node.1'), { recursive: true });
    await writeFile(join(dir, 'run/lock.owner'), 'token r4\n1 2 /x\n{}\n');
    await sh('kx_undo_prune r2 r3 r4');
    expect(await sh('kx_undo_runs')).toBe('r1 0\nr3 0\nr4 0\n');
    await rm(join(dir, 'run'), { recursive: true });
    await sh('kx_undo_prune r1 r3 r4');
    expect(await sh('kx_undo_runs')).toBe('');
    expect(existsSync(state)).toBe(false);
  });

  test('records are readable by nobody else', async () => {
    await writeFile(join(dir, 'a'), 'secret', { mode: 0o644 });
    await sh(`umask 022; kx_env; kx_save k ${dir}/a`);
    expect((await stat(join(state, 'undo'))).mode & 0o077).toBe(0);
    expect((await stat(state)).mode & 0o077).toBe(0);
  });

  test('extended attributes come back', async (context) => {
    if (!onPath('python3')) context.skip('needs python3');
    const file = join(dir, 'a');
    const python = (code: string): string =>
      execFileSync('python3', ['-c', `import os; ${code}`], { encoding: 'utf8' });
    await writeFile(file, 'x');
    python(`os.setxattr('${file}', 'user.kx', b'mine')`);
    await sh(`kx_save k ${file}; rm ${file}; echo >${file}; kx_restore k`);
    // busybox cp does not know them: a system that has only that one cannot keep them.
    if (shell.name !== 'busybox') expect(python(`print(os.getxattr('${file}', 'user.kx').decode())`)).toBe('mine\n');
  });

  test('owners come back', async (context) => {
    if (process.getuid?.() !== 0) context.skip('needs root');
    const file = join(dir, 'a');
    await writeFile(file, 'x');
    await sh(`chown 1234:4321 ${file}; kx_save k ${file}; rm ${file}; echo >${file}; kx_restore k`);
    const { uid, gid } = await stat(file);
    expect([uid, gid]).toEqual([1234, 4321]);
  });
});
