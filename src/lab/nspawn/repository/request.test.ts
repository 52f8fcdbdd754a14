import { expect, test } from 'vitest';
import { wantedFile } from './request.ts';

const SOURCES = ['http://mirror.example/debian', 'http://mirror.example/debian-security'];

test.each([
  ['/0/dists/bookworm/InRelease', 'http://mirror.example/debian/dists/bookworm/InRelease', false],
  [
    '/1/dists/bookworm-security/main/binary-amd64/by-hash/SHA256/ab12',
    'http://mirror.example/debian-security/dists/bookworm-security/main/binary-amd64/by-hash/SHA256/ab12',
    true,
  ],
  [
    '/0/pool/main/c/chrony/chrony_4.3-2%2bdeb12u1_amd64.deb',
    'http://mirror.example/debian/pool/main/c/chrony/chrony_4.3-2+deb12u1_amd64.deb',
    true,
  ],
])('%s', (path, uri, fixed) => {
  const wanted = wantedFile(SOURCES, path);
  expect(wanted).toMatchObject({ uri, fixed });
  expect(wanted?.file).toMatch(/^[0-9a-f]{16}\//);
});

test.each([
  '/',
  '/2/dists/bookworm/InRelease',
  '/0/etc/passwd',
  '/0/dists/../../etc/passwd',
  '/0/dists/%2e%2e/x',
  '/0/dists//x',
  '/0/pool/a b',
  '/0/pool/%',
  '/0/pool/a?x=1',
  'http://elsewhere.example/0/pool/a',
])('%s is nothing', (path) => {
  expect(wantedFile(SOURCES, path)).toBeUndefined();
});

test('two sources never share a file', () => {
  const files = ['/0/pool/a', '/1/pool/a'].map((path) => wantedFile(SOURCES, path)?.file);
  expect(new Set(files).size).toBe(2);
});
