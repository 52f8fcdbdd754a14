import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkEntries, type Merged, mergeEntries, removeEntries, TakenName, UnfitKubeconfig } from './entries.ts';

const KEY = `LS0t${'QUJD'.repeat(60)}`;
const admin = (key = KEY) => `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${KEY}
    server: https://192.0.2.1:6443
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
users:
- name: kubernetes-admin
  user:
    client-key-data: ${key}
`;

/** As kubectl writes it: lists at the margin. */
const MARGIN = `apiVersion: v1
clusters:
- cluster:
    server: https://192.0.2.7
  name: home
contexts:
- context:
    cluster: home
    user: me
  name: home
current-context: home
kind: Config
preferences: {}
users:
- name: me
  user:
    token: "0123"
`;
/** As people write it, with notes. */
const NOTED = `# mine
apiVersion: v1
kind: Config
clusters:
  # the old one
  - name: home
    cluster: {server: 'https://192.0.2.7'}
contexts:
  - {name: home, context: {cluster: home, user: me}}
users:
  - name: me
    # by a program
    user:
      exec: {command: login, apiVersion: client.authentication.k8s.io/v1}
current-context: home
`;
/** Scalars that a reader of YAML takes for numbers, and a writer would write in another way. */
const DIGITS = `apiVersion: v1
kind: Config
current-context: ""
clusters: []
contexts: []
users:
- name: me
  user:
    token: 123456789012345678901
    password: 00123
- name: you
  user:
    token: 1234e567
    username: 1e5
    password: 0x1F
`;
const EMPTY_LISTS = 'apiVersion: v1\nkind: Config\nclusters: []\ncontexts: null\nusers: []\n';

const merge = (text: string, known?: Merged, from = admin()) => mergeEntries(text, from, { name: 'demo', known });

describe('merging', () => {
  test.each([
    ['no file', ''],
    ['as kubectl writes it', MARGIN],
    ['as people write it', NOTED],
    ['lists without entries', EMPTY_LISTS],
  ])('%s: one cluster more, the current one', (_, text) => {
    const { text: next } = merge(text);
    const value = parse(next) as { [list: string]: readonly { name: string }[] };
    const before = (parse(text) ?? {}) as { [list: string]: readonly { name: string }[] };
    expect(value['clusters']).toEqual([
      ...(before['clusters'] ?? []),
      { name: 'demo', cluster: { 'certificate-authority-data': KEY, server: 'https://192.0.2.1:6443' } },
    ]);
    expect(value['users']).toEqual([...(before['users'] ?? []), { name: 'demo', user: { 'client-key-data': KEY } }]);
    expect(value['contexts']).toEqual([
      ...(before['contexts'] ?? []),
      { name: 'demo', context: { cluster: 'demo', user: 'demo' } },
    ]);
    expect(value).toMatchObject({ apiVersion: 'v1', kind: 'Config', 'current-context': 'demo' });
  });

  test.each([
    ['as kubectl writes it', MARGIN],
    ['as people write it', NOTED],
    ['text that looks like numbers', DIGITS],
    ['without any key of ours', '# mine\napiVersion: v1\nkind: Config\n'],
  ])('%s: every other line stays, and all of it comes back', (_, text) => {
    const { text: next, merged } = merge(text);
    const lines = next.split('\n');
    const kept = text.split('\n').filter((line) => !/^(?:current-context|clusters: \[\]|contexts: \[\])/.test(line));
    expect(kept.filter((line) => !lines.includes(line))).toEqual([]);
    expect(removeEntries(next, merged)).toMatchObject({ text, left: [] });
  });

  test('again: the same text; a renewed key: only that', () => {
    const first = merge(MARGIN);
    const again = merge(first.text, first.merged);
    expect(again).toEqual(first);
    const renewed = merge(first.text, first.merged, admin('bmV3'));
    expect(renewed.text).toBe(first.text.replace(`client-key-data: ${KEY}`, 'client-key-data: bmV3'));
    expect(removeEntries(renewed.text, renewed.merged).text).toBe(MARGIN);
  });

  test('a namespace that was set since stays, and the context is still ours', () => {
    const first = merge(MARGIN);
    const spaced = first.text.replace('    user: demo\n', '    user: demo\n    namespace: shop\n');
    expect(spaced).not.toBe(first.text);
    const again = merge(spaced, first.merged, admin('bmV3'));
    expect(again.text).toBe(spaced.replace(`client-key-data: ${KEY}`, 'client-key-data: bmV3'));
    expect(removeEntries(again.text, again.merged)).toEqual({ text: MARGIN, left: [], isEmpty: false });
  });

  test.each(['123', '1e5', 'true', 'on', 'null', '2024-01-01'])('a cluster called %s stays a text', (name) => {
    const { text, merged } = mergeEntries(MARGIN, admin(), { name, known: undefined });
    expect(parse(text, { version: '1.1' })).toMatchObject({
      'current-context': name,
      contexts: [{ name: 'home' }, { name, context: { cluster: name, user: name } }],
    });
    expect(removeEntries(text, merged).text).toBe(MARGIN);
  });

  test.each([
    ['home', 'cluster'],
    ['me', 'user'],
  ])('an entry %s that is somebody else’s is not replaced', (name, what) => {
    expect(() => mergeEntries(MARGIN, admin(), { name, known: undefined })).toThrow(TakenName);
    expect(() => checkEntries(MARGIN, undefined, { name, known: undefined })).toThrow(what);
  });

  test.each([
    ['JSON', JSON.stringify(parse(MARGIN), null, 2)],
    ['no YAML', 'clusters: [\n'],
    ['a key twice', `${MARGIN}kind: Config\n`],
    ['something else', 'hello\n'],
    ['a list that is none', 'clusters: {}\n'],
  ])('%s is refused', (_, text) => {
    expect(() => merge(text)).toThrow(UnfitKubeconfig);
  });
});

describe('taking out', () => {
  test('what was changed since stays and is reported', () => {
    const { text, merged } = merge(MARGIN);
    const changed = text.replace('192.0.2.1:6443', 'lb.example.com:6443');
    const removed = removeEntries(changed, merged);
    expect(removed.left).toEqual(['cluster']);
    expect(parse(removed.text)).toMatchObject({
      'current-context': 'home',
      clusters: [{ name: 'home' }, { name: 'demo', cluster: { server: 'https://lb.example.com:6443' } }],
      users: [{ name: 'me' }],
    });
  });

  test('a context that was chosen since stays chosen; one that is gone is not chosen again', () => {
    const { text, merged } = merge(MARGIN);
    const other = text.replace('current-context: demo', 'current-context: home');
    expect(removeEntries(other, { ...merged, before: ['x'] }).text).toBe(MARGIN);
    const { text: alone, merged: only } = merge('');
    expect(parse(removeEntries(alone, only).text)).toEqual({ apiVersion: 'v1', kind: 'Config' });
  });

  test.each([
    ['in turn', ['a', 'b']],
    ['the last one first', ['b', 'a']],
  ])('two clusters, taken out %s: the file is as it was', (_, order) => {
    for (const text of [MARGIN, NOTED, '# mine\napiVersion: v1\nkind: Config\n']) {
      const a = mergeEntries(text, admin(), { name: 'a', known: undefined });
      const b = mergeEntries(a.text, admin(), { name: 'b', known: undefined, other: () => a.merged });
      const records: Record<string, Merged> = { a: a.merged, b: b.merged };
      expect(order.reduce((now, name) => removeEntries(now, records[name]!).text, b.text)).toBe(text);
    }
  });
});
