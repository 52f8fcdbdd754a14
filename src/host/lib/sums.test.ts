import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';

const SIZE = 4_100_000;
const FALSE = 'f'.repeat(64);
/** What tests write to may be memory, whose times are not believed. */
const DISK = 'stat() { case $1 in -f) echo ext2/ext3 ;; *) command stat "$@" ;; esac; }';
const MEMORY = 'stat() { case $1 in -f) echo tmpfs ;; *) command stat "$@" ;; esac; }';
const LATER = 'date() { echo $(($(command date +%s) + 100)); }';

inEveryShell('digests that are known', (shell, test) => {
  let dir: string;
  let file: string;
  let real: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-sums-'));
    file = join(dir, 'file');
    const content = randomBytes(SIZE);
    // A test writes another byte here.
    content[9] = 0;
    real = createHash('sha256').update(content).digest('hex');
    await writeFile(file, content, { mode: 0o755 });
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const sh = async (script: string, before = `${DISK}\n${LATER}`): Promise<string> => {
    const places = { state: join(dir, 'state'), run: join(dir, 'run') };
    const { code, stdout, stderr } = await runWithLibrary(shell, `${before}\n${script}`, places);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.trim();
  };
  const notes = () => (existsSync(join(dir, 'run/sums')) ? readdirSync(join(dir, 'run/sums')) : []);
  const note = () => join(dir, 'run/sums', notes()[0] ?? '');
  /** Says whether the note was believed or the file was read, and gives the digest. */
  const falsify = async (change = (text: string) => text) =>
    await writeFile(note(), change((await readFile(note(), 'utf8')).replace(real, FALSE)));

  test('a file is read once', async () => {
    expect(await sh(`kx_sha256 ${file}`)).toBe(real);
    await falsify();
    expect(await sh(`kx_sha256 ${file}; kx_look ${file}; echo "$kx_seen"`)).toMatch(
      new RegExp(`^${FALSE}\nf 755 \\d+:\\d+ ${FALSE}$`),
    );
  });

  test('and again after a byte was changed, though size and time of writing are as before', async () => {
    await sh(`kx_sha256 ${file}`);
    await falsify();
    const other = `touch -r ${file} ${dir}/time; printf x | dd of=${file} bs=1 seek=9 conv=notrunc 2>/dev/null; touch -r ${dir}/time ${file}`;
    const digest = await sh(`${other}; kx_sha256 ${file}`);
    expect(digest).toBe(
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    );
    expect(digest).not.toBe(real);
  });

  test('another file under the same name is another file', async () => {
    await sh(`kx_sha256 ${file}`);
    await falsify();
    expect(await sh(`cp -p ${file} ${dir}/copy; mv ${dir}/copy ${file}; kx_sha256 ${file}`)).toBe(real);
  });

  test('a note of another boot, or half of one, is not believed', async () => {
    await sh(`kx_sha256 ${file}`);
    await falsify((text) => text.replace(/^\S+/, '01234567-89ab-cdef-0123-456789abcdef'));
    expect(await sh(`kx_sha256 ${file}`)).toBe(real);
    await falsify((text) => text.slice(0, -30));
    expect(await sh(`kx_sha256 ${file}`)).toBe(real);
  });

  test('what was changed just now, what others can write, what is small or in memory is not noted', async () => {
    await sh(`kx_sha256 ${file}`, DISK);
    await sh(`kx_sha256 ${file}`, `${MEMORY}\n${LATER}`);
    await sh(`chmod g+w ${file}; kx_sha256 ${file}; chmod 757 ${file}; kx_sha256 ${file}`);
    await sh(`KX_UID=12345; chmod 755 ${file}; kx_sha256 ${file}`);
    await sh(`head -c 1000 ${file} >${dir}/small; kx_sha256 ${dir}/small`);
    expect(notes()).toEqual([]);
  });

  test('a time of change in whole seconds tells too little', async () => {
    const coarse = `stat() { case $1 in -f) echo ext2/ext3 ;; *) command stat "$@" | sed 's/\\.[0-9]*/.000000000/g' ;; esac; }`;
    await sh(`kx_sha256 ${file}`, `${coarse}\n${LATER}`);
    expect(notes()).toEqual([]);
  });

  test('what was sent is known as soon as it has its name', async () => {
    const words = `${dir}/new ${real} 0755 ''`;
    const part = `kx_part ${words}; cp ${file} "$kx_tmp"`;
    await sh(
      `${part}; kx_marks=$(kx_put_check ${dir}/new ${real} ${SIZE}); kx_put_name ${words} "\${kx_marks#marks }"`,
      DISK,
    );
    await falsify();
    expect(await sh(`stat -c %a ${dir}/new; kx_sha256 ${dir}/new`)).toBe(`755\n${FALSE}`);
  });

  test('a partial file that is no longer the one that was looked at gets no name', async () => {
    const words = `${dir}/new ${real} 0755 ''`;
    const begin = `kx_part ${words}; cp ${file} "$kx_tmp"; kx_marks=$(kx_put_check ${dir}/new ${real} ${SIZE})`;
    const name = `kx_put_name ${words} "\${kx_marks#marks }"; echo $?; ls ${dir}/new 2>/dev/null || echo none`;
    expect(await sh(`${begin}; sleep 0.02; printf x | dd of="$kx_tmp" conv=notrunc 2>/dev/null; ${name}`)).toBe(
      '67\nnone',
    );
    expect(await sh(`${begin}; rm "$kx_tmp"; ${name}`)).toBe('67\nnone');
  });

  test('notes stay for the cluster that has the machine, and for shells at work', async () => {
    await mkdir(join(dir, 'state/manifest'), { recursive: true });
    await sh(`kx_sha256 ${file}; kx_tidy`);
    expect(notes()).toHaveLength(1);
    await sh(`rm -r ${dir}/state; mkdir ${dir}/run/sh.1; kx_tidy`);
    expect(notes()).toHaveLength(1);
    await sh(`rmdir ${dir}/run/sh.1; kx_tidy`);
    expect(existsSync(join(dir, 'run'))).toBe(false);
  });
});
