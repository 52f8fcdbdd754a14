import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareFiles, type FileSnapshot, lookAtFiles, type MachineFiles } from './files.ts';

const IMAGE = `
mkdir -p etc/ssh usr/share/doc/a usr/bin var/lib/etcd opt/old/deep run
echo hosts >etc/hosts; echo root >etc/passwd; echo conf >etc/ssh/sshd_config; echo 1 >usr/share/doc/a/one; echo 2 >usr/share/doc/a/two
echo tool >usr/bin/tool; chmod 755 usr/bin/tool; setfattr -n security.capability -v 0x0100000200200000000000000000000000000000 usr/bin/tool
ln -s /etc/hosts etc/link; ln -s /run var/run; echo x >opt/old/deep/file; echo w >'etc/with space'
`;

/** Why an overlay cannot be tried here; undefined when it can. */
function problem(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  if (spawnSync('getfattr', ['--version']).status !== 0) return 'needs getfattr';
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-diff-'));
  const { status } = shell(dir, 'mkdir l u w m && mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w m');
  rmSync(dir, { recursive: true, force: true });
  return status === 0 ? undefined : 'needs overlayfs';
}

// In a mount namespace of its own, so that no mount is left whatever happens.
function shell(dir: string, script: string) {
  return spawnSync('unshare', ['-m', '--propagation', 'private', 'sh', '-euc', script], { cwd: dir, encoding: 'utf8' });
}

const why = problem();

describe.skipIf(why !== undefined)(why === undefined ? 'files of an overlay' : `files of an overlay (${why})`, () => {
  let dir: string;
  let machine: MachineFiles;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-diff-'));
    for (const name of ['lower', 'upper', 'work', 'root', 'data']) mkdirSync(join(dir, name));
    expect(shell(join(dir, 'lower'), IMAGE)).toMatchObject({ status: 0, stderr: '' });
    machine = {
      upperDir: join(dir, 'upper'),
      baseDir: join(dir, 'lower'),
      dataDirs: [{ inside: '/var/lib/etcd', outside: join(dir, 'data') }],
    };
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** Works in the machine's root, as the machine would. */
  function inside(script: string): void {
    const mounts = `mount -t overlay o -o lowerdir=lower,upperdir=upper,workdir=work root; mount --bind data root/var/lib/etcd; cd root`;
    expect(shell(dir, `${mounts}\n${script}`)).toMatchObject({ status: 0, stderr: '' });
  }

  async function changes(before: FileSnapshot): Promise<string[]> {
    const found = await compareFiles(machine, before, await lookAtFiles(machine, false));
    return found.map(({ change, key, before: old, after }) => {
      const names = new Set([...Object.keys(old ?? {}), ...Object.keys(after ?? {})]);
      return `${change} ${key}${change === 'changed' ? ` ${[...names].sort().join(',')}` : ''}`;
    });
  }

  test.each<[string, string, string[]]>([
    ['nothing', 'true', []],
    ['a copy-up', 'touch etc/hosts usr/bin/tool; chmod 644 etc/hosts; chown 0:0 etc/passwd', []],
    ['the same content written again', 'cat etc/hosts >x; mv x etc/hosts', []],
    ['other content of the same size', 'echo HOSTS >etc/hosts', ['changed /etc/hosts sha256']],
    ['content of another size', 'echo more >>etc/hosts', ['changed /etc/hosts size']],
    ['a mode', 'chmod 600 etc/hosts', ['changed /etc/hosts mode']],
    ['a set-user-id bit', 'chmod u+s usr/bin/tool', ['changed /usr/bin/tool mode']],
    ['an owner', 'chown 5:6 etc/hosts', ['changed /etc/hosts owner']],
    ['an attribute of the user', 'setfattr -n user.a -v b etc/hosts', ['changed /etc/hosts xattr user.a']],
    [
      'a capability lost',
      'setfattr -x security.capability usr/bin/tool',
      ['changed /usr/bin/tool xattr security.capability'],
    ],
    ['the mode of a directory', 'chmod 700 etc/ssh', ['changed /etc/ssh mode']],
    ['a new file', 'echo a >etc/new', ['added /etc/new']],
    ['a new name with odd signs', "echo a >'etc/a b\\c'", ['added /etc/a b\\c']],
    ['a removed file', 'rm etc/hosts', ['removed /etc/hosts']],
    ['a link turned', 'ln -sfn /etc/passwd etc/link', ['changed /etc/link target']],
    ['a file in place of a link', 'rm etc/link; echo a >etc/link', ['changed /etc/link mode,size,target,type']],
    [
      'a removed directory',
      'rm -r usr/share/doc/a',
      ['removed /usr/share/doc/a', 'removed /usr/share/doc/a/one', 'removed /usr/share/doc/a/two'],
    ],
    [
      'a directory that was recreated',
      'rm -r usr/share/doc/a; mkdir usr/share/doc/a; echo 2 >usr/share/doc/a/two',
      ['removed /usr/share/doc/a/one'],
    ],
    [
      'a file where a directory was',
      'rm -r opt/old; echo a >opt/old',
      ['changed /opt/old mode,size,type', 'removed /opt/old/deep', 'removed /opt/old/deep/file'],
    ],
    [
      'a directory where a link was',
      'rm var/run; mkdir var/run; echo a >var/run/x',
      ['changed /var/run mode,target,type', 'added /var/run/x'],
    ],
    ['a file in a bound directory', 'echo a >var/lib/etcd/member', ['added /var/lib/etcd/member']],
    ['the mode of a bound directory', 'chmod 700 var/lib/etcd', ['changed /var/lib/etcd mode']],
    ['an account: told line by line elsewhere', 'echo more >>etc/passwd', []],
    ['the mode of the accounts', 'chmod 600 etc/passwd', ['changed /etc/passwd mode']],
    ['a named pipe', 'mkfifo etc/pipe', ['added /etc/pipe']],
  ])('%s', async (_, script, expected) => {
    const before = await lookAtFiles(machine, true);
    inside(script);
    expect((await changes(before)).sort()).toEqual(expected.sort());
  });

  test('what was there at the baseline is compared with the baseline, not with the image', async () => {
    inside('echo mine >etc/hosts; echo own >etc/own; rm opt/old/deep/file; echo a >var/lib/etcd/a');
    const before = await lookAtFiles(machine, true);
    expect(await changes(before)).toEqual([]);
    inside('echo MINE >etc/hosts; rm etc/own; echo x >opt/old/deep/file; rm var/lib/etcd/a');
    expect(await changes(before)).toEqual([
      'changed /etc/hosts sha256',
      'removed /etc/own',
      'added /opt/old/deep/file',
      'removed /var/lib/etcd/a',
    ]);
    inside('echo mine >etc/hosts; echo own >etc/own; rm opt/old/deep/file; echo a >var/lib/etcd/a');
    expect(await changes(before)).toEqual([]);
  });

  test('back to what the image has is a change against a baseline that had something else', async () => {
    inside('echo mine >etc/hosts; rm -r usr/share/doc');
    const before = await lookAtFiles(machine, true);
    rmSync(join(dir, 'upper'), { recursive: true });
    mkdirSync(join(dir, 'upper'));
    rmSync(join(dir, 'work'), { recursive: true });
    mkdirSync(join(dir, 'work'));
    expect(await changes(before)).toEqual([
      'changed /etc/hosts size',
      'added /usr/share/doc',
      'added /usr/share/doc/a',
      'added /usr/share/doc/a/one',
      'added /usr/share/doc/a/two',
    ]);
  });

  test('an overlay that moves content around is refused, not read wrongly', async () => {
    const before = await lookAtFiles(machine, true);
    expect(shell(dir, 'mkdir upper/moved; setfattr -n trusted.overlay.redirect -v old upper/moved').status).toBe(0);
    await expect(changes(before)).rejects.toMatchObject({ code: 'KX6611' });
  });
});
