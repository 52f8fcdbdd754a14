import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell } from '../../../../test/rig/posix-shells.ts';
import { runSmall } from '../../../../test/rig/starter.ts';
import { lines, rawScript, sh } from '../../../model/script.ts';
import { withFunctions } from './shell.ts';

inEveryShell('the guard of directories', (shell, test) => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-guard-'));
    await mkdir(join(dir, 'home/alice/files'), { recursive: true });
    await mkdir(join(dir, 'etc/mine'), { recursive: true });
    await mkdir(join(dir, 'root/etc'), { recursive: true });
    await symlink('home', join(dir, 'homes'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** Only the guard is run, and nothing after it; these directories stand for those of the system. */
  const guarded = async (path: string): Promise<string> => {
    const standIns = sh`stat() {
  kx_x=
  for kx_word do
    shift
    case $kx_word in
      /) set -- "$@" ${join(dir, 'root')} ;;
      /home | /etc) set -- "$@" ${dir}"$kx_word" ;;
      *) set -- "$@" "$kx_word" ;;
    esac
  done
  command stat "$@"
}`;
    const script = lines(withFunctions('guard', standIns, sh`kxg_guard ${path}`), rawScript('echo passed'));
    const { code, stdout, stderr } = await runSmall(sh`exec ${[shell.file, ...shell.args]} -c ${script.script}`.script);
    return code === 0 ? stdout.toString().trim() : stderr.trim();
  };
  const REFUSED = /is a directory of the system: it is never removed or replaced as a whole$/;

  test('somebody’s home is refused, under every name it has', async () => {
    for (const name of ['home/alice', 'homes/alice', 'home//alice', 'home/alice/files/..'])
      expect(await guarded(join(dir, '/') + name), name).toMatch(REFUSED);
  });

  test('so are directories of the system, the root, and what is directly below it', async () => {
    for (const name of ['home', 'homes', 'etc', 'root', 'root/etc'])
      expect(await guarded(join(dir, name)), name).toMatch(REFUSED);
  });

  test('what is in a home, or in a directory of the system, is not', async () => {
    for (const name of ['home/alice/files', 'homes/alice/files', 'etc/mine'])
      expect(await guarded(join(dir, name)), name).toBe('passed');
  });

  test('what cannot be looked at is refused', async () => {
    expect(await guarded(join(dir, 'nothing'))).toMatch(/cannot look at .*nothing$/);
  });
});
