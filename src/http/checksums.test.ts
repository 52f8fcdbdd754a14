import { expect, test } from 'vitest';
import { findChecksum } from './checksums.ts';

const a = 'a'.repeat(64);
const b = 'B'.repeat(64);
const long = 'c'.repeat(128);

test.each<[string, string, string[], string | undefined]>([
  ['bare', `${a}\n`, ['f'], a],
  ['bare without line end', a, ['f'], a],
  ['sha512', long, ['f'], long],
  ['sha256sum', `${a}  x\n${b}  f\n`, ['f'], b.toLowerCase()],
  ['binary mark', `${a} *f\r\n`, ['f'], a],
  ['with directories', `${a}  ./dist/f\n${b}  g`, ['f'], a],
  ['BSD', `SHA256 (f) = ${a}\nSHA256 (g) = ${b}`, ['g'], b.toLowerCase()],
  ['any of the names', `${a}  kubeadm\n${b}  x`, ['other', 'kubeadm'], a],
  ['another name only', `${a}  x\n`, ['f'], undefined],
  ['two bare ones', `${a}\n${b}\n`, ['f'], undefined],
  ['a page that says no', '<html>404</html>', ['f'], undefined],
  ['too short', 'abc  f', ['f'], undefined],
])('%s', (_name, text, names, hex) => {
  expect(findChecksum(text, names)?.hex).toBe(hex);
});
