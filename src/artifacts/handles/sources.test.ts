import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../model/cluster/index.ts';
import { sourcesOf, sourcesText } from './sources.ts';

type Given = Cluster['spec']['artifacts']['sources'];

function clusterWith(sources: Given = []): Cluster {
  return { spec: { artifacts: { sources, zone: '' } } } as unknown as Cluster;
}

const of = (env: Record<string, string>, zone = '', sources: Given = []) =>
  sourcesOf(clusterWith(sources), env, zone, '/base');

describe('in which order sources are asked', () => {
  test.each([
    ['nothing is said', {}, '', 'upstream,go'],
    ['a zone: its mirrors first', {}, 'cn', 'zone,upstream,go'],
    ['the environment', { KUBEXM_SOURCES: 'go, upstream' }, 'cn', 'go,upstream'],
    ['an empty environment says nothing', { KUBEXM_SOURCES: ' ' }, 'cn', 'zone,upstream,go'],
    [
      'paths are of the directory that the work is in',
      { KUBEXM_SOURCES: 'directory=files,bundle=/b.tar,mirror=https://m/x=y' },
      '',
      'directory=/base/files,bundle=/b.tar,mirror=https://m/x=y',
    ],
  ])('%s', (_, env, zone, wanted) => {
    expect(sourcesText(of(env as Record<string, string>, zone))).toBe(wanted);
  });

  test('the configuration, in its own order, unless the environment says otherwise', () => {
    const sources: Given = [{ type: 'go' }, { type: 'directory', path: 'x' }];
    expect(sourcesText(of({}, 'cn', sources))).toBe('go,directory=/base/x');
    expect(sourcesText(of({ KUBEXM_SOURCES: 'upstream' }, 'cn', sources))).toBe('upstream');
  });

  test('a mirror with a registry of its own; its password is only named', () => {
    const password = { at: 'spec.artifacts.sources[0].password' } as unknown as NonNullable<Given[number]['password']>;
    const mirror = {
      type: 'mirror',
      url: 'https://m',
      registry: 'r.example.com/proxy',
      plainHTTP: true,
      username: 'me',
      password,
    } as const;
    expect(of({}, '', [mirror])).toEqual([
      {
        type: 'mirror',
        url: 'https://m',
        registry: 'r.example.com/proxy',
        plainHTTP: true,
        username: 'me',
        passwordField: 'spec.artifacts.sources[0].password',
      },
    ]);
  });

  test('authorities are read from the directory that the work is in', () => {
    expect(of({}, '', [{ type: 'upstream', caFile: 'ca.pem' }])).toEqual([
      { type: 'upstream', caFile: '/base/ca.pem' },
    ]);
  });

  test.each([
    [{ type: 'bundle' }, 'path'],
    [{ type: 'directory' }, 'path'],
    [{ type: 'mirror' }, 'url'],
    [{ type: 'zone' }, 'zone'],
  ] as const)('%j lacks something', (source, field) => {
    expect(() => of({}, '', [source])).toThrow(
      expect.objectContaining({ code: 'KX7021', params: expect.objectContaining({ field }) }),
    );
  });

  test.each(['nonsense', 'directory=', 'go=1', 'valueOf=1'])('KUBEXM_SOURCES=%s', (text) => {
    expect(() => of({ KUBEXM_SOURCES: text })).toThrow(expect.objectContaining({ code: 'KX7020' }));
  });
});
