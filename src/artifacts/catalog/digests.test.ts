import { describe, expect, test } from 'vitest';
import { KUBERNETES, SAMPLE, spoilt } from '../../../test/catalog/sample.ts';
import { KubexmError } from '../../model/errors/index.ts';
import { digestsText, publishedFiles } from './digests.ts';
import { parseCatalog } from './parse.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const LONG = `sha512:${'b'.repeat(128)}`;

function catalogWith(digests: object, text = SAMPLE) {
  return parseCatalog([
    { file: 'digests.json', text: JSON.stringify({ about: 'x', digests }) },
    { file: 'sample.yaml', text },
    { file: 'kubernetes.yaml', text: KUBERNETES },
  ]);
}
const filesOf = (catalog: ReturnType<typeof catalogWith>) => publishedFiles(catalog, catalog.components.get('sample')!);
const shown = (catalog: ReturnType<typeof catalogWith>) =>
  filesOf(catalog).map(({ version, arch, need }) => [version, arch, need.checksum.url, need.digest ?? '']);

test('every version and processor is its own file; what is known of one is part of it', () => {
  const known = catalogWith({
    sample: { '1.9.0': { sample: { arm64: DIGEST } }, '1.10': { sample: { amd64: LONG } } },
  });
  expect(shown(known)).toEqual([
    ['1.0.0', 'amd64', 'https://example.org/v1.0.0/sample-amd64.tgz.sha256', ''],
    ['1.0.0', 'arm64', 'https://example.org/v1.0.0/sample-arm64.tgz.sha256', ''],
    ['1.9.0', 'amd64', 'https://example.org/v1.9.0/sample-amd64.tgz.sha256', ''],
    ['1.9.0', 'arm64', 'https://example.org/v1.9.0/sample-arm64.tgz.sha256', DIGEST],
    ['1.10', 'amd64', 'https://example.org/v1.10/sample-amd64.tgz.sha256', LONG],
    ['1.10', 'arm64', 'https://example.org/v1.10/sample-arm64.tgz.sha256', ''],
  ]);
});

test('more are added in the order of the catalog; what is known stays, whatever is said', () => {
  const catalog = catalogWith({ sample: { '1.9.0': { sample: { arm64: DIGEST } } } });
  const found = filesOf(catalog)
    .filter(({ arch }) => arch === 'arm64')
    .map((file) => ({ ...file, digest: LONG }));
  const text = digestsText(catalog, 'x', found.toReversed());
  expect(text).toBe(
    `${JSON.stringify(
      {
        about: 'x',
        digests: {
          sample: {
            '1.0.0': { sample: { arm64: LONG } },
            '1.9.0': { sample: { arm64: DIGEST } },
            '1.10': { sample: { arm64: LONG } },
          },
        },
      },
      null,
      2,
    )}\n`,
  );
});

describe('what is refused', () => {
  const NONE = ['checksum: { file: "{file}.sha256", form: digest }', 'checksum: { none: nobody knows why }'] as const;
  test.each<[string, object, string, string?]>([
    ['half a digest', { sample: { '1.9.0': { sample: { amd64: 'sha256:abc' } } } }, 'is no digest'],
    ['md5', { sample: { '1.9.0': { sample: { amd64: `md5:${'a'.repeat(32)}` } } } }, 'is no digest'],
    ['an unknown component', { simple: { '1.9.0': { sample: { amd64: DIGEST } } } }, 'simple 1.9.0 sample amd64 is no'],
    ['an unknown version', { sample: { '1.9.1': { sample: { amd64: DIGEST } } } }, 'sample 1.9.1 sample amd64 is no'],
    ['an unknown file', { sample: { '1.9.0': { other: { amd64: DIGEST } } } }, 'sample 1.9.0 other amd64 is no'],
    ['no processor', { sample: { '1.9.0': { sample: { any: DIGEST } } } }, 'sample 1.9.0 sample any is no'],
    ['a project that publishes none', { sample: { '1.9.0': { sample: { amd64: DIGEST } } } }, 'is no', spoilt(NONE)],
  ])('%s', (_name, digests, detail, text) => {
    let error: unknown;
    try {
      catalogWith(digests, text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(KubexmError);
    const { code, message } = error as KubexmError;
    expect([code, message]).toEqual(['KX7001', expect.stringContaining(detail)]);
    expect(message).toContain('digests.json');
  });
});
