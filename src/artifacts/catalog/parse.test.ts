import { describe, expect, test } from 'vitest';
import { KUBERNETES, SAMPLE, spoilt } from '../../../test/catalog/sample.ts';
import { KubexmError } from '../../model/errors/index.ts';
import { parseCatalog } from './parse.ts';

const catalogOf = (text: string) =>
  parseCatalog([
    { file: 'sample.yaml', text },
    { file: 'kubernetes.yaml', text: KUBERNETES },
  ]);

function problemOf(text: string): string {
  try {
    catalogOf(text);
  } catch (error) {
    if (error instanceof KubexmError && error.code === 'KX7001') return `${error.message}\n${error.detail ?? ''}`;
    throw error;
  }
  return 'nothing';
}

test('the sample is valid', () => {
  const component = catalogOf(SAMPLE).components.get('sample');
  expect(component?.versions.map((entry) => entry.version)).toEqual(['1.0.0', '1.9.0', '1.10']);
});

describe('what is refused, by name', () => {
  test.each<[string, string, ...(readonly [string, string])[]]>([
    ['a number for a version', 'quotes', ['"1.10"\nk', '1.10\nk']],
    ['a version with a v', 'versions.0.version: is no version without a v', ['- 1.0.0', '- v1.0.0']],
    ['versions out of order', '1.9.0 stands after 1.10', ['- 1.0.0', '- "1.10"']],
    ['a version twice', '1.9.0 stands after 1.9.0', ['- 1.0.0', '- 1.9.0']],
    ['an unknown key', 'Unrecognized key', ['title:', 'titel: x\ntitle:']],
    ['another name than the file', "component: is not the file's name", ['component: sample', 'component: simple']],
    ['a range that is none', 'kubernetes.0.range: is no range', ['">=1.30 <1.35"', '"1.30 - 1.35"']],
    ['a gap between ranges', '0 rows are for 1.34', ['>=1.30 <1.35', '>=1.30 <1.34']],
    ['ranges that overlap', '2 rows are for 1.36.0', ['>=1.30 <1.35', '>=1.30 <1.37']],
    ['a range that holds nothing', '>=1.20 <1.21 holds no known version', ['>=1.30 <1.35', '>=1.20 <1.21']],
    [
      'rows out of order',
      '>=1.30 <1.35 is too late',
      ['>=1.30 <1.35', '>=1.35 <1.36.9'],
      ['>=1.35 <1.37', '>=1.30 <1.35'],
    ],
    ['a default that is not listed', 'the default 1.8.0 is not in versions', ['default: "1.9.0"', 'default: "1.8.0"']],
    ['a default that does not fit', 'the default 1.9.0 is not in >=1.10', ['default: "1.10"', 'default: "1.9.0"']],
    ['a placeholder without a value', '{os} has no value for version 1.0.0', ['sample-{arch}', 'sample-{os}-{arch}']],
    ['one file for several processors', 'does not name them', ['sample-{arch}.tgz', 'sample.tgz']],
    ['http', 'files.0.from: is no https address', ['from: https:', 'from: http:']],
    ['an image without its registry', 'is no repository', ['quay.io/example/sample', 'Example/sample']],
    ['a program that nothing builds', 'images: other is built by nothing', ['programs: [sample]', 'programs: [other]']],
    [
      'a build of something unknown',
      'builds: other is in no file',
      ['{ sample: example.org', '{ other: x, sample: example.org'],
    ],
    [
      'a file that some versions lack',
      'sample is there 0 times for version 1.0.0',
      ['kind: archive', 'kind: archive\n    versions: ">=1.9"'],
    ],
    [
      'a checksum typed in',
      'files.0.checksum: is neither',
      ['{ file: "{file}.sha256", form: digest }', `{ sha256: ${'0'.repeat(64)} }`],
    ],
    ['YAML that is none', 'sample.yaml', ['component: sample', 'component: [sample']],
  ])('%s', (_what, says, ...edits) => {
    expect(problemOf(spoilt(...edits))).toContain(says);
  });
});

test('all problems of a file are said at once', () => {
  const text = problemOf(spoilt(['sample-{arch}', 'sample-{os}-{arch}'], ['programs: [sample]', 'programs: [other]']));
  expect(text).toContain('{os}');
  expect(text).toContain('other is built by nothing');
});
