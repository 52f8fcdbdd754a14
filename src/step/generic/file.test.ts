import { describe, expect, test } from 'vitest';
import { absent, type Seen, seen } from '../../../test/support/seen.ts';
import type { Host } from '../../model/host.ts';
import { MASK } from '../../model/text/mask.ts';
import type { StepIo } from '../../plan/step.ts';
import { type File, file } from './file.ts';
import { sha256 } from './lib/write.ts';

const { judge, probe, apply } = file.definition;
const want: File = { path: '/etc/x', content: 'one\ntwo\n', mode: '0644', owner: 'root:root' };
const good: Seen = { sha256: sha256('one\ntwo\n'), size: 8 };

describe('judge', () => {
  test.each<[string, Seen, Partial<File>]>([
    ['same', good, {}],
    ['mode not wanted', { ...good, mode: 0o600 }, { mode: undefined as never }],
    ['numeric owner', { ...good, uid: 5, gid: 6, user: 'UNKNOWN', group: 'UNKNOWN' }, { owner: '5:6' }],
    ['user only', { ...good, group: 'wheel', gid: 9 }, { owner: 'root' }],
    ['group only', { ...good, user: 'etcd', uid: 9 }, { owner: ':root' }],
  ])('satisfied: %s', (_name, found, more) => {
    expect(judge!(seen(found), { ...want, ...more })).toEqual({
      verdict: 'satisfied',
      output: { path: '/etc/x', sha256: good.sha256 },
    });
  });

  test.each<[string, ReturnType<typeof seen>, Partial<File>, object[]]>([
    [
      'absent',
      absent,
      {},
      [
        { what: '/etc/x (new)', text: '@@ line 1 @@\n+one\n+two' },
        { what: 'mode', to: '0644' },
        { what: 'owner', to: 'root:root' },
      ],
    ],
    [
      'content',
      seen({ size: 8, sha256: '0'.repeat(64), rest: 'one\nTWO\n' }),
      {},
      [{ what: '/etc/x', text: '@@ line 1 @@\n one\n-TWO\n+two' }],
    ],
    [
      'last line end',
      seen({ size: 7, sha256: '0'.repeat(64), rest: 'one\ntwo' }),
      {},
      [{ what: '/etc/x', text: '@@ line 1 @@\n one\n two\n-\\ no line end' }],
    ],
    [
      'control characters',
      seen({ size: 11, sha256: '0'.repeat(64), rest: '\u001b[2J\rone\ntwo\n' }),
      {},
      [{ what: '/etc/x', from: '11 bytes, sha256 000000000000', to: `8 bytes, sha256 ${good.sha256!.slice(0, 12)}` }],
    ],
    [
      'control characters shown',
      seen({ size: 13, sha256: '0'.repeat(64), rest: '\u001b[2J\rone\ntwo\n' }),
      {},
      [{ what: '/etc/x', text: '@@ line 1 @@\n-\\x1b[2J\\rone\n+one\n two' }],
    ],
    [
      'binary',
      seen({ size: 2, sha256: '0'.repeat(64), rest: Buffer.from([0, 1]) }),
      {},
      [{ what: '/etc/x', from: '2 bytes, sha256 000000000000', to: `8 bytes, sha256 ${good.sha256!.slice(0, 12)}` }],
    ],
    [
      'secret',
      seen({ size: 2, sha256: '0'.repeat(64), mode: 0o600 }),
      { secret: true, mode: undefined as never },
      [{ what: '/etc/x', from: MASK, to: MASK }],
    ],
    [
      'secret, absent',
      absent,
      { secret: true, mode: undefined as never, owner: undefined as never },
      [
        { what: '/etc/x', to: MASK },
        { what: 'mode', to: '0600' },
      ],
    ],
    ['mode', seen({ ...good, mode: 0o4755 }), {}, [{ what: 'mode', from: '04755', to: '0644' }]],
    ['owner', seen({ ...good, uid: 1, user: 'daemon' }), {}, [{ what: 'owner', from: 'daemon:root', to: 'root:root' }]],
    [
      'directory',
      seen({ type: 'directory', mode: 0o755 }),
      { owner: undefined as never },
      [
        { what: '/etc/x', from: 'directory', to: `8 bytes, sha256 ${good.sha256!.slice(0, 12)}` },
        { what: 'mode', to: '0644' },
      ],
    ],
    [
      'link',
      seen({ type: 'symlink', mode: 0o777, rest: '/y' }),
      { mode: undefined as never, owner: undefined as never },
      [{ what: '/etc/x', from: 'symlink', to: `8 bytes, sha256 ${good.sha256!.slice(0, 12)}` }],
    ],
  ])('needed: %s', (_name, output, more, diff) => {
    const verdict = judge!(output, { ...want, ...more });
    expect(verdict).toMatchObject({ verdict: 'needed', diff });
    expect(JSON.stringify('seen' in verdict && verdict.seen)).not.toContain('one');
  });

  test('a long difference is cut', () => {
    const verdict = judge!(absent, { path: '/a', content: 'line\n'.repeat(1000) });
    const text = ('diff' in verdict && verdict.diff[0]?.text) || '';
    expect(text.split('\n')).toHaveLength(201);
    expect(text).toContain('… 801 more lines');
  });
});

describe('content', () => {
  const text = (content: File['content']) => {
    const verdict = judge!(absent, { path: '/a', content });
    return ('diff' in verdict && verdict.diff[0]?.text?.replace(/^@@.*\n/, '').replaceAll(/^\+/gm, '')) || '';
  };

  test.each<[string, File['content'], string]>([
    ['json', { json: { b: [1, null], a: 'x' } }, '{\n  "b": [\n    1,\n    null\n  ],\n  "a": "x"\n}'],
    [
      'yaml keeps words words',
      { yaml: { on: 'yes', n: '012', t: '12:30:45', o: '0o14', v: '1.10', x: 'plain', m: 'a\nb\n' } },
      '"on": "yes"\n"n": "012"\nt: "12:30:45"\no: "0o14"\nv: "1.10"\nx: plain\nm: |\n  a\n  b',
    ],
    ['documents', { documents: [{ a: 1 }, { b: 2 }] }, 'a: 1\n---\nb: 2'],
    [
      'toml',
      {
        toml: {
          version: 3,
          plugins: { 'io.x.v1': { on: true, list: ['a"b', 1], empty: [] } },
          host: [{ a: 1 }, { a: 2 }],
        },
      },
      'version = 3\n\n[plugins]\n\n[plugins."io.x.v1"]\non = true\nlist = ["a\\"b", 1]\nempty = []\n\n[[host]]\na = 1\n\n[[host]]\na = 2',
    ],
    [
      'template',
      { template: 'listen {{ port }}\nname={{name}}\n', values: { port: 1, name: '$& {{port}}' } },
      'listen 1\nname=$& {{port}}',
    ],
  ])('%s', (_name, content, expected) => {
    expect(text(content)).toBe(expected);
  });

  test.each<[string, File['content'], RegExp]>([
    ['a template without a value', { template: '{{a}}', values: {} }, /value for \{\{a\}\}/],
    ['a value without a place', { template: 'x', values: { b: 1 } }, /does not use b/],
    ['TOML without null', { toml: { a: null } }, /no null/],
    ['not base64', { base64: '???' }, /not base64/],
  ])('refuses %s', (_name, content, message) => {
    expect(() => probe!({ path: '/a', content })).toThrow(message);
  });
});

describe('scripts', () => {
  const script = (more: Partial<File>) =>
    (apply({} as Host, { ...want, ...more }, {} as StepIo) as { script: string }).script;

  test('content travels in a here-document, never in a word', () => {
    const text = script({ content: 's3cret $(id)\n' });
    expect(text).toContain('<<\'KXG_END\' || kxg_fail "cannot write $t"\ns3cret $(id)\nKXG_END\n');
  });

  test('a line that ends the here-document gets another end', () => {
    expect(script({ content: 'KXG_END\nKXG_END_\n' })).toContain("<<'KXG_END__' ");
  });

  test('mode and owner come before the name', () => {
    const text = script({});
    expect(text.indexOf('chown -- root:root "$t"')).toBeGreaterThan(0);
    expect(text.indexOf('chmod 0644 "$t"')).toBeGreaterThan(text.indexOf('chown -- root:root "$t"'));
    expect(text.lastIndexOf('kxg_place "$t" "$p"')).toBeGreaterThan(text.indexOf('chmod 0644 "$t"'));
  });

  test.each(['etc/x', '/etc/../x', '/etc/x/', '/etc//x', '/a\0b'])('refuses the path %j', (path) => {
    expect(() => probe!({ ...want, path })).toThrow(/path/);
  });

  test.each(['', ':', '-x', 'a:b:c', 'a b'])('refuses the owner %j', (owner) => {
    expect(() => script({ owner })).toThrow(/owner/);
  });

  test.each(['9', 'u+x', '07777777', '888'])('refuses the mode %j', (mode) => {
    expect(() => script({ mode })).toThrow(/mode/);
  });

  test('only a short file that is no secret is read for the difference', () => {
    expect(probe!(want).script).toContain('cat <"$p"');
    expect(probe!({ ...want, secret: true }).script).not.toContain('cat');
  });
});
