import { describe, expect, test } from 'vitest';
import { type Host, output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import type { StepIo } from '../../plan/step.ts';
import { checksum } from './checksum.ts';

const { judge, apply } = checksum.definition;
const md5 = 'd41d8cd98f00b204e9800998ecf8427e';
const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('checksum', () => {
  test.each<[string, string | undefined, ReturnType<typeof output>, object]>([
    [
      'right',
      md5,
      output(0, `${md5} ${sha256} 0\n`),
      { verdict: 'satisfied', output: { path: '/f', sha256, bytes: 0 } },
    ],
    ['right, in capitals', ` ${md5.toUpperCase()}\n`, output(0, `${md5} ${sha256} 0\n`), { verdict: 'satisfied' }],
    ['only computed', undefined, output(0, `${md5} ${sha256} 0\n`), { verdict: 'satisfied' }],
    [
      'wrong',
      md5.replace('d', '0'),
      output(0, `${md5} ${sha256} 0\n`),
      { verdict: 'needed', diff: [{ what: '/f', from: `md5 ${md5}`, to: `md5 ${md5.replace('d', '0')}` }] },
    ],
    ['absent', md5, output(2), { verdict: 'needed', diff: [{ what: '/f', to: `md5 ${md5}` }] }],
  ])('judge: %s', (_name, expected, answer, verdict) => {
    expect(
      judge!(answer, { path: '/f', algorithm: 'md5', ...(expected === undefined ? {} : { expected }) }),
    ).toMatchObject(verdict);
  });

  test.each(['abc', sha256, 'g'.repeat(32)])('refuses %s as md5', (expected) => {
    expect(() => apply({} as Host, { path: '/f', algorithm: 'md5', expected }, {} as StepIo)).toThrow('no md5 digest');
  });

  test('the script says what is wrong', () => {
    const { script } = apply({} as Host, { path: '/f', algorithm: 'md5', expected: md5 }, {} as StepIo) as Script;
    expect(script).toContain('md5sum <"$p"');
    expect(script).toContain('instead of $e');
  });
});
