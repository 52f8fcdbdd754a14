import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { some } from '../../../test/rig/thorough.ts';
import { quote } from '../../model/script.ts';

/** The day on which these tests run, whatever the clock says. */
const DATE = '20250102';
const CALENDAR = `date() { if [ "$1" = +%Y%m%d ]; then echo ${DATE}; else command date "$@"; fi; };`;

inEveryShell('the manifest', (shell, test) => {
  let dir: string;
  let tree: string;
  let state: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-manifest-'));
    tree = join(dir, 'tree');
    state = join(dir, 'state/kubexm');
    await mkdir(tree);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const run = (script: string) => runWithLibrary(shell, `${CALENDAR} ${script}`, { state, run: join(dir, 'run') });
  const sh = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await run(script);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return stdout;
  };
  const at = (name: string) => join(tree, name);
  /** A change of one path, as the engine makes it. */
  const change = (key: string, path: string, work: string, more: readonly string[] = []) =>
    `kx_stage ${key} ${quote(path)} && kx_own ${key} u1 prod '{"n":"${key}"}' 60 ${more.map(quote).join(' ')} && kx_owning ${key} ${quote(work)}`;
  const undo = (n: string) =>
    `kx_reset_keep ${n} && kx_reset_effects ${n} && kx_reset_paths ${n} && kx_reset_drop ${n}`;
  const entries = () =>
    existsSync(join(state, 'manifest/entries')) ? readdirSync(join(state, 'manifest/entries')) : [];
  const picture = () => {
    const list = `find . -mindepth 1 -printf '%p %y %m %U %G %l\\n' | sort && find . -type f -exec sha256sum {} + | sort`;
    return execFileSync('sh', ['-c', `cd ${quote(tree)} && ${list}`], { encoding: 'utf8' });
  };

  test('files, links and trees go back to what they were before the first change, whatever came later', async () => {
    await writeFile(at('conf'), 'mine\n', { mode: 0o640 });
    await symlink('conf', at('link'));
    await mkdir(at('old/sub'), { recursive: true });
    await writeFile(at('old/sub/a'), 'a');
    await chmod(at('old/sub'), 0o711);
    const before = picture();
    await sh(change('r1/a', at('conf'), `echo one >${at('conf')}; chmod 600 ${at('conf')}`));
    await sh(change('r1/b', at('new file'), `echo new >'${at('new file')}'`));
    await sh(change('r1/c', at('link'), `ln -sfn /else ${at('link')}`));
    await sh(change('r1/d', at('old'), `rm -rf ${at('old')}`));
    await sh(change('r2/a', at('conf'), `echo two >${at('conf')}`));
    await sh(change('r2/d', at('old'), `mkdir ${at('old')}; echo x >${at('old')}/x`));
    expect(entries()).toEqual(['000001', '000002', '000003', '000004']);
    for (const n of entries().toReversed()) expect(await sh(undo(n))).toBe('');
    expect(picture()).toBe(before);
    await sh('kx_reset_end u1 ""');
    expect(existsSync(state)).toBe(false);
  });

  test('what somebody else changed is kept beside, and only that', async () => {
    await writeFile(at('conf'), 'mine\n');
    await sh(change('r1/a', at('conf'), `echo one >${at('conf')}`));
    await sh(change('r1/b', at('made'), `echo made >${at('made')}`));
    await sh(change('r1/c', at('calm'), `echo calm >${at('calm')}`));
    const box = `mkdir -p ${at('box/in')}; for f in ours calm 'back\\slash' 'an -> arrow'; do echo ours >"${at('box/in')}/$f"; done`;
    await sh(
      change(
        'r1/d',
        at('box'),
        `${box}; ln -s a ${at('box/link')}; ln -s a '${at('box/l -> m')}'; mkdir ${at('box/empty')}`,
      ),
    );
    await writeFile(at('conf'), 'theirs\n');
    await chmod(at('made'), 0o644);
    await mkdir(at('box/in/deep'));
    await writeFile(at('box/in/deep/their file'), 'theirs');
    for (const name of ['ours', 'back\\slash']) await writeFile(at(`box/in/${name}`), 'edited');
    await writeFile(at('box/in/deep/two\\ways'), 'theirs');
    await rm(at('box/l -> m'));
    await symlink('theirs', at('box/l -> m'));
    await mkdir(at('box/hollow'));
    expect(await sh('kx_reset_look 000001')).toBe(`there\nchanged ${at('conf')}\n`);
    expect(await sh('kx_reset_look 000003')).toBe('there\n');
    for (const n of ['000004', '000003', '000002', '000001']) await sh(undo(n));
    expect(readdirSync(tree).sort()).toEqual([
      `box.kubexm-kept-${DATE}`,
      'conf',
      `conf.kubexm-kept-${DATE}`,
      `made.kubexm-kept-${DATE}`,
    ]);
    expect(await readFile(at('conf'), 'utf8')).toBe('mine\n');
    expect(await readFile(at(`conf.kubexm-kept-${DATE}`), 'utf8')).toBe('theirs\n');
    expect(await readFile(at(`box.kubexm-kept-${DATE}/in/ours`), 'utf8')).toBe('edited');
    expect(await readFile(at(`box.kubexm-kept-${DATE}/in/back\\slash`), 'utf8')).toBe('edited');
    expect(
      readdirSync(at(`box.kubexm-kept-${DATE}`), { recursive: true })
        .map(String)
        .sort(),
    ).toEqual([
      'hollow',
      'in',
      'in/back\\slash',
      'in/deep',
      'in/deep/their file',
      'in/deep/two\\ways',
      'in/ours',
      'l -> m',
    ]);
    const kept = await readFile(join(state, 'manifest/kept'), 'utf8');
    expect(kept.split('\n')).toEqual(
      ['box', 'made', 'conf'].flatMap((name) => [at(name), at(`${name}.kubexm-kept-${DATE}`)]).concat(''),
    );
  });

  const meant = (key: string, path: string) => `kx_save ${key} ${path} && kx_own ${key} u1 prod {} 60`;
  const begun = (key: string, path: string) => `${meant(key, path)} && kx_own_begin ${key}`;
  const slot = (n: number, file: string) => join(state, `manifest/entries/00000${n}/1/${file}`);

  test('a change that was cut off is ours, unless it is newer than it can be', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await writeFile(at(name), 'before');
    await sh(`${begun('r1/a', at('a'))}; echo half >${at('a')}`);
    await sh(`${begun('r1/b', at('b'))}; echo half >${at('b')}`);
    // Meant, but never begun: whatever is there is not ours.
    await sh(`${meant('r1/c', at('c'))}; echo theirs >${at('c')}`);
    // The machine was restarted since: what came after that is not ours.
    await sh(`${begun('r1/d', at('d'))}; echo theirs >${at('d')}`);
    const long = new Date(Date.now() - 3_600_000);
    await utimes(slot(2, 'begun'), long, long);
    await writeFile(slot(4, 'pending'), '60 another-boot\n');
    const [up] = (await readFile('/proc/uptime', 'utf8')).split(' ');
    const boot = new Date(Date.now() - Number(up) * 1000 - 10_000);
    await utimes(slot(4, 'begun'), boot, boot);
    for (const n of ['000004', '000003', '000002', '000001']) await sh(undo(n));
    expect(readdirSync(tree).sort()).toEqual(
      ['a', 'b', 'c', 'd', ...['b', 'c', 'd'].map((name) => `${name}.kubexm-kept-${DATE}`)].sort(),
    );
    for (const name of ['a', 'b', 'c', 'd']) expect(await readFile(at(name), 'utf8')).toBe('before');
  });

  test('a change that was cut off keeps what others did when it is rolled back', async () => {
    for (const name of ['a', 'c']) await writeFile(at(name), 'before');
    await sh(`${begun('r1/a', at('a'))}; echo half >${at('a')}; kx_restore r1/a`);
    const { code, stderr } = await run(`${meant('r1/c', at('c'))}; echo theirs >${at('c')}; kx_restore r1/c`);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('stays as') });
    expect(readdirSync(tree).sort()).toEqual(['a', 'c', 'c.kubexm-kept']);
    expect(await readFile(at('c.kubexm-kept'), 'utf8')).toBe('theirs\n');
  });

  test('what somebody else did between the before-image and the change is kept beside, and told', async () => {
    await writeFile(at('a'), 'before');
    await mkdir(at('dir/sub'), { recursive: true });
    await writeFile(at('dir/sub/x'), 'before');
    const between = (key: string, path: string, edit: string, work: string) =>
      `kx_stage ${key} ${path} && kx_own ${key} u1 prod {} 60 && ${edit} && kx_owning ${key} ${quote(work)}`;
    const said = [
      await run(between('r1/a', at('a'), `echo theirs >${at('a')}`, `echo ours >${at('a')}`)),
      await run(between('r1/b', at('b'), `echo theirs >${at('b')}`, `echo ours >${at('b')}`)),
      await run(between('r1/d', at('dir'), `echo theirs >${at('dir/sub/x')}`, `rm -r ${at('dir')}`)),
      await run(between('r1/e', at('e'), ':', `echo ours >${at('e')}`)),
    ];
    expect(said.map(({ code, stderr }) => [code, /was changed by somebody else just now/.test(stderr)])).toEqual([
      [0, true],
      [0, true],
      [0, true],
      [0, false],
    ]);
    for (const n of ['000004', '000003', '000002', '000001']) await sh(undo(n));
    const kept = (await sh('kx_reset_told')).split('\n');
    expect([kept[0], kept[2], kept[4], kept[6]]).toEqual([at('a'), at('b'), at('dir'), '--']);
    expect(
      readdirSync(tree)
        .filter((name) => !name.includes('kept'))
        .sort(),
    ).toEqual(['a', 'dir']);
    expect(await readFile(at('a'), 'utf8')).toBe('before');
    expect(await readFile(at('dir/sub/x'), 'utf8')).toBe('before');
    for (const file of [kept[1], kept[3], join(kept[5]!, 'sub/x')])
      expect(await readFile(file!, 'utf8')).toBe('theirs\n');
  });

  test('a second try of a change does not take its first for somebody else', async () => {
    await writeFile(at('a'), 'before');
    const again = change('r1/a', at('a'), `echo ours >>${at('a')}`);
    await sh(`${again}; ${again}`);
    expect(readdirSync(tree)).toEqual(['a']);
  });

  test('a change that failed and ended its shell is noted all the same', async () => {
    const { code } = await run(change('r1/a', at('a'), `echo half >${at('a')}; exit 7`));
    expect(code).toBe(7);
    await sh(undo('000001'));
    expect(readdirSync(tree)).toEqual([]);
  });

  test('what was rolled back is owned no longer; what an earlier run owns stays as it left it', async () => {
    await writeFile(at('a'), 'before');
    await sh(change('r1/a', at('a'), `echo one >${at('a')}`));
    await sh(`${change('r2/a', at('a'), `echo two >${at('a')}`)}; kx_restore r2/a; kx_disown r2/a`);
    await sh(`${change('r2/b', at('b'), `echo b >${at('b')}`)}; kx_restore r2/b; kx_disown r2/b`);
    expect(entries()).toEqual(['000001']);
    expect(await sh('kx_reset_look 000001')).toBe('there\n');
    await sh('kx_restore r1/a; kx_disown r1/a; kx_undo_drop r1; kx_undo_drop r2');
    expect(existsSync(state)).toBe(false);
  });

  test('another cluster is refused before anything is touched', async () => {
    await sh(change('r1/a', at('a'), `echo a >${at('a')}`));
    const { code, stderr } = await run('kx_save r2/b /x; kx_own r2/b u2 test {} 60 && echo touched');
    expect(code).not.toBe(0);
    expect(stderr).toContain('belongs to cluster prod (u1)');
    expect((await run('kx_reset_end u2 ""')).code).not.toBe(0);
  });

  test('names and effects: the first one wins, and only what was not there before goes', async () => {
    await mkdir(at('was'));
    const effects = [`e 11 path ${at('was')}`, `e 12 path ${at('made')}`];
    await sh(`kx_own r1/a u1 prod '{"first":1}' 60 'n aa' ${effects.map(quote).join(' ')}`);
    await sh(`kx_own r1/b u1 prod '{"second":1}' 60 'n aa'`);
    await sh(`kx_own r1/c u1 prod '{"third":1}' 60 'n aa' 'n bb'`);
    expect(entries()).toEqual(['000001', '000002']);
    await mkdir(at('made/below'), { recursive: true });
    await writeFile(at('was/more'), '');
    await sh(`${undo('000002')}; ${undo('000001')}`);
    expect(readdirSync(tree)).toEqual(['was']);
    expect(readdirSync(join(state, 'manifest/names'))).toEqual([]);
  });

  test('what somebody else changed in a directory that goes as a whole is kept beside it', async () => {
    await sh(change('r1/a', at('data'), `mkdir -p ${at('data')}`, []));
    await sh(`kx_own r1/e u1 prod {} 60 ${quote(`e 11 path ${at('big')}`)}`);
    await mkdir(at('big/sub'), { recursive: true });
    await sh(change('r1/b', at('big/sub/conf'), `echo ours >${at('big/sub/conf')}`));
    await sh(change('r1/c', at('big/calm'), `echo calm >${at('big/calm')}`));
    await writeFile(at('big/sub/conf'), 'theirs');
    await sh('kx_reset_effects 000002');
    expect(await readFile(at(`big.kubexm-kept-${DATE}/sub/conf`), 'utf8')).toBe('theirs');
    expect(readdirSync(at(`big.kubexm-kept-${DATE}`))).toEqual(['sub']);
    for (const n of ['000004', '000003', '000002', '000001']) await sh(undo(n));
    expect(readdirSync(tree)).toEqual([`big.kubexm-kept-${DATE}`]);
  });

  test('what cannot be put back blocks, or is left and told when that is asked for', async () => {
    await writeFile(at('b'), 'before');
    const paths = `${at('a')} ${at('b')}`;
    await sh(
      `kx_stage r1/a ${paths} && kx_own r1/a u1 prod {} 60 && kx_owning r1/a 'echo 1 >${at('b')}; mkdir ${at('a')}'`,
    );
    // The first one cannot be removed: it counts as one of the system's.
    const guarded = (script: string) =>
      run(`kx_may_go() { echo 'it is a directory of the system' >&2; return 1; }; ${script}`);
    expect(await guarded('kx_reset_paths 000001')).toMatchObject({ code: 1 });
    expect(await guarded('kx_reset_paths 000001 leave && kx_reset_drop 000001')).toMatchObject({ code: 0, stderr: '' });
    expect(await sh('kx_reset_told')).toBe(`--\n${at('a')} stays: it is a directory of the system\n`);
    expect(await readFile(at('b'), 'utf8')).toBe('before');
    await sh('kx_reset_end u1 ""');
    expect(existsSync(state)).toBe(false);
  });

  test('it is shown with what is needed to undo it', async () => {
    await writeFile(at('a'), '');
    await sh(change('r1/a', at('a'), ':', ['n aa']));
    await sh(change('r1/b', at('odd\nname'), ':'));
    const shown = await sh('kx_manifest_show');
    expect(shown).toContain('u1 prod\nimage 000001/1\n');
    expect(shown).toContain('==> 000002/meta <==\n{"n":"r1/b"}\n');
    expect(shown).toContain(`==> 000002/1/path <==\n${at('odd\nname')}\n`);
    expect(await sh('kx_manifest_owner')).toBe('u1 prod\n');
  });

  test('what was cut off goes, whatever it is called, and nothing of others', async () => {
    const litter = ['.kubexm-conf.kx123', '.kubexm-conf.0123456789abcdef.part'];
    for (const name of [...litter, '.kubexm-0123456789abcdef']) await writeFile(at(name), 'cut off');
    await sh(change('r1/a', at('kubexm-conf'), `echo one >${at('kubexm-conf')}`));
    await sh(undo('000001'));
    expect(readdirSync(tree)).toEqual(['.kubexm-0123456789abcdef']);
  });

  test('a path that cannot be looked at does not keep the others from being noted', async () => {
    const names = ['one', 'two', 'three'];
    const paths = names.map((name) => quote(at(name))).join(' ');
    const work = quote(names.map((name) => `echo x >${at(name)}`).join(';'));
    const blind = 'stat() { case "$*" in *two*) return 1 ;; esac; command stat "$@"; }';
    await run(`kx_stage r1/a ${paths} && kx_own r1/a u1 prod '{}' 60 && ${blind}; kx_owning r1/a ${work}`);
    const slots = readdirSync(join(state, 'manifest/entries/000001')).filter((name) => /^\d$/.test(name));
    const known = slots.map((slot) => existsSync(join(state, 'manifest/entries/000001', slot, 'after')));
    expect(known).toEqual([true, false, true]);
  });

  test('many paths in one record are noted, changed, noted again and undone', async () => {
    const names = [...Array(130).keys()].map((n) => `file-${n}`);
    const paths = names.map((name) => quote(at(name))).join(' ');
    const work = quote(`cd ${tree} && for n in ${names.join(' ')}; do echo x >"$n"; done`);
    await sh(`kx_stage r1/a ${paths} && kx_own r1/a u1 prod '{}' 60 && kx_owning r1/a ${work}`);
    expect(await sh('kx_reset_look 000001')).toBe('there\n');
    await writeFile(at('file-77'), 'theirs');
    expect(await sh('kx_reset_look 000001')).toBe(`there\nchanged ${at('file-77')}\n`);
    await sh(undo('000001'));
    expect(readdirSync(tree)).toEqual([`file-77.kubexm-kept-${DATE}`]);
    expect(readdirSync(join(state, 'manifest/names'))).toEqual([]);
  });

  test('undoing may be cut off anywhere and be begun again', async () => {
    await writeFile(at('conf'), 'mine\n');
    await mkdir(at('dir'));
    await writeFile(at('dir/old'), 'old');
    const before = picture();
    await writeFile(at('.conf.kx123'), 'cut off');
    await writeFile(at('.conf.0123456789abcdef.part'), 'cut off');
    await sh(change('r1/a', at('conf'), `echo one >${at('conf')}`));
    await sh(change('r1/b', at('dir'), `rm -rf ${at('dir')}; mkdir ${at('dir')}; echo new >${at('dir/new')}`));
    await sh(change('r1/c', at('made'), `mkdir ${at('made')}; echo x >${at('made/x')}`));
    // Commands of the library that change something are made to be the last one, in turn.
    const all = `${undo('000003')} && ${undo('000002')} && ${undo('000001')} && kx_reset_end u1 ''`;
    const cutAfter = async (most: number) => {
      const tools = ['rm', 'mv', 'cp', 'sync', 'mkdir', 'ln'];
      const counting = tools.map(
        (tool) =>
          `${tool}() { read -r count <${dir}/count; [ "$count" -lt ${most} ] || kill -KILL $$; echo $((count + 1)) >${dir}/count; command ${tool} "$@"; }`,
      );
      await writeFile(join(dir, 'count'), '0\n');
      await run(`${counting.join('\n')}\n${all}`);
      return Number(await readFile(join(dir, 'count'), 'utf8'));
    };
    execFileSync('sh', ['-c', `mkdir ${dir}/copy && cp -a ${tree} ${dir}/state ${dir}/copy/`]);
    const back = `rm -rf ${tree} ${dir}/state && cp -a ${dir}/copy/tree ${dir}/copy/state ${dir}/`;
    const count = await cutAfter(1000);
    expect(picture()).toBe(before);
    expect(count).toBeGreaterThan(10);
    for (const most of some([...Array(count).keys()], 3)) {
      execFileSync('sh', ['-c', back]);
      expect(await cutAfter(most)).toBe(most);
      await sh(all);
      expect(picture(), `cut off after ${most}`).toBe(before);
      expect(existsSync(state)).toBe(false);
    }
  });
});
