import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeEntries, removeEntries, TakenName, UnfitKubeconfig } from './kubeconfig-entries.ts';

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
const EMPTY_LISTS = 'apiVersion: v1\nkind: Config\nclusters: []\ncontexts: null\nusers: []\n';

describe('merging', () => {
  test.each([
    ['no file', ''],
    ['as kubectl writes it', MARGIN],
    ['as people write it', NOTED],
    ['lists without entries', EMPTY_LISTS],
    ['JSON', JSON.stringify(parse(MARGIN), null, 2)],
  ])('%s: one cluster more, the current one', (_, text) => {
    const { text: next } = mergeEntries(text, admin(), 'demo', undefined);
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
  ])('%s: every other line stays, and all of it comes back', (_, text) => {
    const { text: next, merged } = mergeEntries(text, admin(), 'demo', undefined);
    const lines = next.split('\n');
    const kept = text.split('\n').filter((line) => !line.startsWith('current-context'));
    expect(kept.filter((line) => !lines.includes(line))).toEqual([]);
    expect(removeEntries(next, merged)).toEqual({ text, left: [], isEmpty: false });
  });

  test('again: the same text; a renewed key: only that', () => {
    const first = mergeEntries(MARGIN, admin(), 'demo', undefined);
    const again = mergeEntries(first.text, admin(), 'demo', first.merged);
    expect(again).toEqual(first);
    const renewed = mergeEntries(first.text, admin('bmV3'), 'demo', first.merged);
    expect(renewed.text).toBe(first.text.replace(`client-key-data: ${KEY}`, 'client-key-data: bmV3'));
    expect(removeEntries(renewed.text, renewed.merged).text).toBe(MARGIN);
  });

  test.each([
    ['home', 'cluster'],
    ['me', 'user'],
  ])('an entry %s that is somebody else’s is not replaced', (name, what) => {
    expect(() => mergeEntries(MARGIN, admin(), name, undefined)).toThrow(TakenName);
    expect(() => mergeEntries(MARGIN, admin(), name, undefined)).toThrow(what);
  });

  test.each([
    ['no YAML', 'clusters: [\n'],
    ['a key twice', `${MARGIN}kind: Config\n`],
    ['something else', 'hello\n'],
    ['a list that is none', 'clusters: {}\n'],
  ])('%s is refused', (_, text) => {
    expect(() => mergeEntries(text, admin(), 'demo', undefined)).toThrow(UnfitKubeconfig);
  });
});

describe('taking out', () => {
  test('what was changed since stays, and is told', () => {
    const { text, merged } = mergeEntries(MARGIN, admin(), 'demo', undefined);
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
    const { text, merged } = mergeEntries(MARGIN, admin(), 'demo', undefined);
    const other = text.replace('current-context: demo', 'current-context: home');
    expect(removeEntries(other, { ...merged, before: 'x' }).text).toBe(MARGIN);
    const { text: alone, merged: only } = mergeEntries('', admin(), 'demo', undefined);
    expect(parse(removeEntries(alone, only).text)).toMatchObject({ 'current-context': '', clusters: [], users: [] });
  });
});
