import { describe, expect, test } from 'vitest';
import { type Host, output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import type { StepIo } from '../../plan/step.ts';
import { type Extract, extract } from './extract.ts';

const { judge, probe, apply, saves } = extract.definition;
const sha256 = 'a'.repeat(64);
const want: Extract = { archive: '/tmp/c.tar.gz', sha256, dest: '/usr/local', name: 'containerd' };
const scriptOf = (more: Partial<Extract>) => (apply({} as Host, { ...want, ...more }, {} as StepIo) as Script).script;

describe('extract', () => {
  test.each<[string, ReturnType<typeof output>, object]>([
    ['as recorded', output(0, `${sha256} s1 s1\n`), { verdict: 'satisfied' }],
    ['no record', output(2), { verdict: 'needed', diff: [{ what: 'containerd in /usr/local', to: 'from c.tar.gz' }] }],
    [
      'another archive',
      output(0, `${'b'.repeat(64)} s1 s1\n`),
      { verdict: 'needed', diff: [{ from: 'from another archive' }] },
    ],
    [
      'changed',
      output(0, `${sha256} s1 s2\n`),
      { verdict: 'needed', diff: [{ from: 'changed since it was extracted' }] },
    ],
    ['a record without digest', output(0, `${sha256}  \n`), { verdict: 'needed' }],
  ])('judge: %s', (_name, answer, verdict) => {
    expect(judge!(answer, want)).toMatchObject(verdict);
  });

  test.each<[string, string]>([
    ['/a/x.tgz', 'gzip -dc'],
    ['/a/x.tar.xz', 'xz -dc'],
    ['/a/x.tar.zst', 'zstd -dcq'],
    ['/a/x.tar', 'cat <"$a"'],
    ['/a/x.zip', 'unzip -q -o'],
  ])('%s is read by %s', (archive, tool) => {
    expect(scriptOf({ archive })).toContain(tool);
    expect((saves!({ ...want, archive }) as Script).script).toContain(tool.split(' ')[0]);
  });

  test('a format that the name does not tell must be given', () => {
    expect(() => probe!({ ...want, archive: '/a/x' })).toThrow('format');
    expect(scriptOf({ archive: '/a/x', format: 'tar' })).toContain('cat <"$a"');
  });

  test.each<Partial<Extract>>([
    { members: ['../etc/passwd'] },
    { members: ['/etc/passwd'] },
    { members: ['a//b'] },
    { members: [''] },
    { members: ['a\nb'] },
    { strip: -1 },
    { strip: 1.5 },
    { name: '../x' },
    { name: '' },
    { dest: '/a\nb' },
    { dest: 'a' },
  ])('refuses %j', (bad) => {
    expect(() => scriptOf(bad)).toThrow();
  });

  test('never takes the owners of the archive', () => {
    expect(scriptOf({})).toContain('tar -x -o -p');
  });
});
