import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { beforeImage } from '../../src/engine/before-image.ts';
import { hostKey } from '../../src/engine/keys.ts';
import { lines, rawScript, type Script, sh } from '../../src/model/script.ts';
import type { AnyStep } from '../../src/plan/step.ts';
import type { Extract } from '../../src/step/generic/extract.ts';
import * as generic from '../../src/step/generic/index.ts';
import { Bench, check, io, perform, scratch } from './bench.ts';
import { digestOf } from './case.ts';
import { snapshot } from './tree.ts';

const bench = new Bench(scratch('failures'));

describe.each(bench.shells)('what cannot be done is said, in $name', (variant) => {
  const host = bench.host(variant);
  const dir = bench.dir('fail');
  mkdirSync(join(dir, 'd'));
  writeFileSync(join(dir, 'f'), 'keep');
  writeFileSync(join(dir, 'bad.tar.gz'), 'this is no archive');
  const pack = join(dir, 'pack');
  mkdirSync(join(pack, 'd'), { recursive: true });
  writeFileSync(join(pack, 'f'), 'new');
  writeFileSync(join(pack, 'd/x'), 'x'.repeat(200_000));
  spawnSync('tar', ['-czf', join(dir, 'good.tar.gz'), '-C', pack, '.']);
  const whole = readFileSync(join(dir, 'good.tar.gz'));
  writeFileSync(join(dir, 'cut.tar.gz'), whole.subarray(0, whole.length - 20));
  spawnSync('tar', ['-cPf', join(dir, 'evil.tar'), '--transform', 's,^f$,../../escaped,', '-C', pack, 'f']);
  const archive = (name: string, more: object = {}) => ({
    archive: join(dir, name),
    sha256: digestOf(join(dir, name)),
    dest: join(dir, 'd'),
    name: 'n',
    ...more,
  });

  const failures: readonly [string, AnyStep, unknown, RegExp][] = [
    ['a file over a directory', generic.file.definition, { path: join(dir, 'd'), content: '' }, /d is a directory/],
    [
      'a file nowhere',
      generic.file.definition,
      { path: join(dir, 'no/x'), content: '' },
      /no does not exist; a directory step/,
    ],
    [
      'an unknown owner',
      generic.file.definition,
      { path: join(dir, 'x'), content: '', owner: 'nobody-at-all' },
      /cannot set the owner/,
    ],
    ['a link over a directory', generic.symlink.definition, { path: join(dir, 'd'), target: 'x' }, /is a directory/],
    ['a directory over a file', generic.directory.definition, { path: join(dir, 'f') }, /not a directory/],
    ['a directory below a file', generic.directory.definition, { path: join(dir, 'f/x') }, /cannot make/],
    ['a mode of nothing', generic.mode.definition, { path: join(dir, 'no'), mode: '0644' }, /does not exist/],
    ['a copy of nothing', generic.copy.definition, { source: join(dir, 'no'), path: join(dir, 'x') }, /does not exist/],
    [
      'a copy of a directory over a file',
      generic.copy.definition,
      { source: join(dir, 'd'), path: join(dir, 'f') },
      /not a directory/,
    ],
    [
      'no archive',
      generic.extract.definition,
      { archive: join(dir, 'no.tar'), sha256: 'x', dest: join(dir, 'd'), name: 'n' },
      /does not exist/,
    ],
    [
      'another archive',
      generic.extract.definition,
      archive('good.tar.gz', { sha256: '0'.repeat(64) }),
      /instead of 0000/,
    ],
    ['a broken archive', generic.extract.definition, archive('bad.tar.gz'), /cannot unpack/],
    ['half an archive', generic.extract.definition, archive('cut.tar.gz'), /cannot unpack/],
    [
      'a member that is not there',
      generic.extract.definition,
      archive('good.tar.gz', { members: ['f', 'g'] }),
      /does not hold g/,
    ],
    [
      'no such directory',
      generic.extract.definition,
      archive('good.tar.gz', { dest: join(dir, 'no') }),
      /does not exist; a directory step/,
    ],
  ];
  const inTurn = bench.inTurn(variant);
  for (const [name, step, want, message] of failures)
    inTurn(name, async () => {
      const output = await perform(host, step, want);
      expect(output.stderr).toMatch(message);
      expect(output.code).not.toBe(0);
      expect(readFileSync(join(dir, 'f'), 'utf8')).toBe('keep');
      expect(existsSync(join(dir, 'd/x'))).toBe(false);
      expect(spawnSync('find', [dir, '-name', '.kubexm*']).stdout.toString(), 'nothing is left lying about').toBe('');
    });

  test('an archive that reaches out of its directory', async () => {
    await perform(host, generic.extract.definition, archive('evil.tar'));
    expect(existsSync(join(dir, 'escaped'))).toBe(false);
    expect(existsSync(join(bench.base, 'escaped'))).toBe(false);
  });
});

describe.each(bench.shells)('an archive, half extracted, in $name', (variant) => {
  const step = generic.extract.definition;
  const inTurn = bench.inTurn(variant);

  function packed(name: string, content: string): { readonly dir: string; readonly want: Extract } {
    const dir = bench.dir('half');
    for (const one of ['dest', 'pack']) mkdirSync(join(dir, one));
    for (const one of ['a', 'b', 'c']) writeFileSync(join(dir, 'pack', one), `${one} ${content}`);
    spawnSync('tar', ['-cf', join(dir, name), '-C', join(dir, 'pack'), '.']);
    const archive = join(dir, name);
    return { dir, want: { archive, sha256: digestOf(archive), dest: join(dir, 'dest'), name: 'sample' } };
  }

  inTurn('never counts as done, and can be put back', async () => {
    const host = bench.host(variant);
    const { dir, want } = packed('x.tar', 'new');
    writeFileSync(join(dir, 'dest', 'b'), 'mine');
    const before = snapshot(join(dir, 'dest'));
    const image = beforeImage('run', { ref: { node: 'n' }, step, want, nature: 'state' }, () => undefined);
    const failing = rawScript('kxg_n=0; mv() { kxg_n=$((kxg_n + 1)); [ "$kxg_n" -le 2 ] && command mv "$@"; }');
    const output = await host.run(lines(image!.script, failing, step.apply(host, want, io) as Script));
    expect(output).toMatchObject({ code: 1, stderr: `cannot write ${join(dir, 'dest', 'c')}\n` });
    expect(Object.keys(snapshot(join(dir, 'dest')))).toEqual(['a', 'b']);
    expect((await check(host, step, want)).verdict).toBe('needed');
    expect(await host.run(sh`kx_restore ${hostKey('run', 'n')}`)).toMatchObject({ code: 0 });
    expect(snapshot(join(dir, 'dest'))).toEqual(before);
  });

  inTurn('is needed again when a file was changed, lost, or made unusable', async () => {
    const host = bench.host(variant);
    const { dir, want } = packed('x.tar', 'new');
    for (const spoil of [
      () => writeFileSync(join(dir, 'dest', 'a'), 'a NEW'),
      () => rmSync(join(dir, 'dest', 'b')),
      () => chmodSync(join(dir, 'dest', 'c'), 0),
      () => rmSync(join(dir, 'dest', '.kubexm-sample')),
    ]) {
      expect(await perform(host, step, want)).toMatchObject({ code: 0 });
      expect((await check(host, step, want)).verdict).toBe('satisfied');
      spoil();
      expect((await check(host, step, want)).verdict).toBe('needed');
    }
  });

  inTurn('the archive may go, and another one may come', async () => {
    const host = bench.host(variant);
    const { dir, want } = packed('x.tar', 'new');
    await perform(host, step, want);
    rmSync(want.archive);
    expect((await check(host, step, want)).verdict).toBe('satisfied');
    const newer = packed('y.tar', 'newer');
    const next = { ...newer.want, dest: join(dir, 'dest') };
    expect(await check(host, step, next)).toMatchObject({
      verdict: 'needed',
      diff: [{ from: 'from another archive' }],
    });
    await perform(host, step, next);
    expect((await check(host, step, next)).verdict).toBe('satisfied');
    expect(readFileSync(join(dir, 'dest', 'a'), 'utf8')).toBe('a newer');
  });
});
