import { expect, test } from 'vitest';
import { isHostKey, parseHostKey } from './host-key.ts';

const PRINT = `SHA256:${'aB+/9'.repeat(8)}xyz`;
const KEY = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.alloc(36, 7)]).toString(
  'base64',
);

test('a fingerprint, or a public key with or without a comment', () => {
  expect(parseHostKey(PRINT)).toEqual({ fingerprint: PRINT });
  expect(parseHostKey(`${PRINT}=`)).toEqual({ fingerprint: PRINT });
  expect(parseHostKey(`ssh-ed25519 ${KEY}`)).toEqual({ type: 'ssh-ed25519', key: KEY });
  expect(parseHostKey(` ssh-ed25519\t${KEY} root@node1`)).toEqual({ type: 'ssh-ed25519', key: KEY });
});

test.each([
  ['an old fingerprint', 'MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48'],
  ['a fingerprint that is cut off', PRINT.slice(0, -1)],
  ['a fingerprint with words', `${PRINT} root@node1`],
  ['a key without its type', KEY],
  ['a key of another type than it says', `ssh-rsa ${KEY}`],
  ['a type that servers do not show', `ssh-dss ${KEY}`],
  ['a key that is cut off', 'ssh-ed25519 AAAA'],
  ['a line of known_hosts', `node1 ssh-ed25519 ${KEY}`],
  ['nothing', ''],
])('%s is none', (_, text) => {
  expect(isHostKey(text)).toBe(false);
});
