import { describe, expect, test } from 'vitest';
import { SAMPLE, spoilt } from '../../../test/catalog/sample.ts';
import { KubexmError } from '../../model/errors/index.ts';
import { type Addition, addVersion } from './add.ts';

const add = (addition: Addition, text = SAMPLE): string => addVersion('sample.yaml', text, addition);

describe('a version goes to its place, and nothing else changes', () => {
  test.each([
    ['0.9.0', '  - 1.0.0\n', '  - 0.9.0\n  - 1.0.0\n'],
    ['v1.9.1', '  - "1.10"\n', '  - 1.9.1\n  - "1.10"\n'],
    ['1.8.0', '  - 1.9.0 #', '  - 1.8.0\n  - 1.9.0 #'],
    ['1.10.1', '  - "1.10"\n', '  - "1.10"\n  - 1.10.1\n'],
    ['2.0', '  - "1.10"\n', '  - "1.10"\n  - "2.0"\n'],
  ])('%s', (version, before, after) => {
    expect(add({ version })).toBe(spoilt([before, after]));
  });

  test('with what it comes with', () => {
    const text = spoilt(['"1.10"\nk', '{ version: "1.10", with: { other: 3.1.0 } }\nk']);
    expect(add({ version: '1.11.0', with: { other: '3.10' } }, text)).toBe(
      text.replace('} }\nkubernetes', '} }\n  - { version: 1.11.0, with: { other: "3.10" } }\nkubernetes'),
    );
  });

  test('as the default of a minor', () => {
    const text = spoilt(['>=1.35 <1.37', '>=1.36 <1.37'], ['>=1.30 <1.35', '>=1.30 <1.36']);
    expect(add({ version: '1.11.0', defaultFor: ['1.36'] }, text)).toBe(
      text.replace('  - "1.10"\n', '  - "1.10"\n  - 1.11.0\n').replace('default: "1.10"', 'default: "1.11.0"'),
    );
  });
});

describe('what cannot be added', () => {
  test.each<[string, Addition, string]>([
    ['no version', { version: 'latest' }, 'it is no version'],
    ['a known one', { version: '1.9.0' }, 'it is there already'],
    ['a known one, written otherwise', { version: 'v1.10.0' }, 'it is there already'],
    ['a default for half a row', { version: '1.11.0', defaultFor: ['1.36'] }, 'divide it first'],
    ['a default for an unknown minor', { version: '1.11.0', defaultFor: ['1.40'] }, 'no row ends with Kubernetes 1.40'],
  ])('%s', (_what, addition, reason) => {
    expect(() => add(addition)).toThrow(
      expect.objectContaining({ code: 'KX7009', message: expect.stringContaining(reason) }),
    );
  });

  test('one without what the others come with', () => {
    const text = spoilt(['"1.10"\nk', '{ version: "1.10", with: { other: 3.1.0 } }\nk']);
    expect(() => add({ version: '1.11.0' }, text)).toThrow(KubexmError);
    expect(() => add({ version: '1.11.0' }, text)).toThrow('other=…');
  });

  test('to versions on one line', () => {
    const text = SAMPLE.replace(/versions:\n(?: {2}- .*\n)+/, 'versions: [1.0.0, 1.9.0, "1.10"]\n');
    expect(() => add({ version: '1.11.0' }, text)).toThrow('one to a line');
  });
});
