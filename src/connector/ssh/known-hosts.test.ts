import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { judgeHostKey, knownName, matchesHost, parseKnownHosts, preferredAlgorithms } from './known-hosts.ts';

/** A public key of a type with made-up content. */
function key(type: string, content: string): Buffer {
  const part = (text: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  };
  return Buffer.concat([part(type), part(content)]);
}

const ED = key('ssh-ed25519', 'ours');
const OTHER_ED = key('ssh-ed25519', 'theirs');
const RSA = key('ssh-rsa', 'ours');
const line = (patterns: string, blob: Buffer, type = 'ssh-ed25519'): string =>
  `${patterns} ${type} ${blob.toString('base64')}`;

function hashed(name: string): string {
  const salt = Buffer.from('12345678901234567890');
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}

describe('matchesHost', () => {
  test.each([
    ['a.example', 'a.example', true],
    ['A.Example', 'a.example', true],
    ['a.example,10.0.0.1', '10.0.0.1', true],
    ['*.example', 'a.example', true],
    ['?.example', 'ab.example', false],
    ['*.example,!b.example', 'b.example', false],
    ['!b.example,*.example', 'b.example', false],
    ['!b.example', 'c.example', false],
    ['[a.example]:2222', '[a.example]:2222', true],
    ['[a.example]:2222', 'a.example', false],
    ['[*.example]:22??', '[a.example]:2222', true],
    ['a.b', 'axb', false],
    ['fd00::1', 'fd00::1', true],
    [hashed('a.example'), 'a.example', true],
    [hashed('[a.example]:2222'), '[a.example]:2222', true],
    [hashed('a.example'), 'b.example', false],
    ['|1|broken', 'a.example', false],
  ])('%s means %s: %s', (patterns, name, expected) => {
    expect(matchesHost(patterns, name)).toBe(expected);
  });

  test('the port is part of the name unless it is 22', () => {
    expect(knownName('A.example', 22)).toBe('a.example');
    expect(knownName('fd00::1', 2222)).toBe('[fd00::1]:2222');
  });
});

describe('judgeHostKey', () => {
  const judge = (text: string, shown: Buffer): string => judgeHostKey(parseKnownHosts(text, 'f'), 'h', shown).kind;

  test.each([
    ['nothing known', '', ED, 'new'],
    ['another host', line('x', OTHER_ED), ED, 'new'],
    ['the same key', line('h', ED), ED, 'trusted'],
    ['one of several keys', `${line('h', RSA, 'ssh-rsa')}\n${line('h', ED)}`, ED, 'trusted'],
    ['an old and a new key of one type', `${line('h', OTHER_ED)}\n${line('h', ED)}`, ED, 'trusted'],
    ['another key of the type', line('h', OTHER_ED), ED, 'changed'],
    ['a type never seen, though the host is known', line('h', RSA, 'ssh-rsa'), ED, 'changed'],
    ['a key type we cannot speak does not count', line('h', key('ssh-dss', 'x'), 'ssh-dss'), ED, 'new'],
    ['revoked', `${line('h', ED)}\n@revoked ${line('*', ED)}`, ED, 'revoked'],
    ['another revoked key', `${line('h', ED)}\n@revoked ${line('*', OTHER_ED)}`, ED, 'trusted'],
    ['an authority is not a key', `@cert-authority ${line('*', OTHER_ED)}`, ED, 'new'],
    ['comments and rubbish', `# ${line('h', OTHER_ED)}\n\nh ssh-ed25519\nrubbish\n`, ED, 'new'],
    ['a comment behind the key', `${line('h', ED)} me@home`, ED, 'trusted'],
    ['tabs and Windows line ends', line('h', ED).replaceAll(' ', '\t').concat('\r\n'), ED, 'trusted'],
  ])('%s', (_name, text, shown, expected) => {
    expect(judge(text, shown)).toBe(expected);
  });
});

describe('preferredAlgorithms', () => {
  test('those of known keys come first', () => {
    const entries = parseKnownHosts(`${line('h', RSA, 'ssh-rsa')}\n${line('x', ED)}`, 'f');
    expect(preferredAlgorithms(entries, 'h').slice(0, 3)).toEqual(['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']);
    expect(preferredAlgorithms(entries, 'x')[0]).toBe('ssh-ed25519');
    expect(preferredAlgorithms(entries, 'h')).toHaveLength(preferredAlgorithms([], 'h').length);
  });
});
