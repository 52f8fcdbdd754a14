import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runs } from '../../../test/rig/thorough.ts';
import { toYaml } from './yaml.ts';

test('looks like YAML that a person wrote', () => {
  const value = {
    run: '20260101-120000-abcdef',
    outcome: 'failed',
    counts: { changed: 3 },
    failures: [{ host: 'node1', error: { code: 'KX4002', detail: 'line one\nline two\n' } }, { host: '节点2' }],
    empty: {},
    none: [],
    nested: [[1, 2], []],
    switch: 'yes',
    version: '1.10',
    time: '12:30',
  };
  expect(toYaml(value)).toBe(`run: "20260101-120000-abcdef"
outcome: failed
counts:
  changed: 3
failures:
- host: node1
  error:
    code: KX4002
    detail: |
      line one
      line two
- host: 节点2
empty: {}
none: []
nested:
-
  - 1
  - 2
- []
switch: "yes"
version: "1.10"
time: "12:30"
`);
});

test('a parser reads back exactly what was written', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      expect(parse(toYaml(plain))).toEqual(plain);
      expect(parse(toYaml(plain), { version: '1.1' })).toEqual(plain);
    }),
    { numRuns: runs(2000) },
  );
});

test('text of several lines reads back too', () => {
  const piece = fc.constantFrom('a', ' ', '\n', ': ', '# ', '- ', '"', 'é', '行', '\t', '|', '');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const value = { text: pieces.join(''), list: [pieces.join('')] };
      expect(parse(toYaml(value))).toEqual(value);
      expect(parse(toYaml(pieces.join('')))).toEqual(pieces.join(''));
    }),
    { numRuns: runs(5000) },
  );
});
