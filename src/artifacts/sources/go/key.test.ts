import { describe, expect, it } from 'vitest';
import type { BuildNeed } from '../../../model/catalog/need.ts';
import { executableName } from './build.ts';
import { fetchedVersion } from './fetch-toolchain.ts';
import { goKey, recipeHash } from './key.ts';

const BUILD: BuildNeed = {
  style: 'wrapper',
  modules: [{ path: 'example.org/x', version: 'v1.0.0' }],
  programs: { a: 'example.org/x/a', b: 'example.org/x/b' },
  arches: ['amd64', 'arm64'],
  cgo: false,
  needs: [],
  tags: ['netgo'],
  ldflags: ['-X main.version=v1.0.0'],
  replace: { modules: 'example.org/*', at: 'v0.0.0', by: 'v1.0.0' },
};
const REQUEST = { build: BUILD, arch: 'amd64', programs: ['a', 'b'] } as const;
const key = (build: Partial<BuildNeed> = {}, more: object = {}, compiler: string[] = []) =>
  recipeHash({ ...REQUEST, build: { ...BUILD, ...build }, ...more }, compiler);

describe('recipeHash', () => {
  it('does not depend on the order of programs, nor on which processors there are', () => {
    expect(key({}, { programs: ['b', 'a'] })).toBe(key());
    expect(key({ arches: ['amd64'] })).toBe(key());
  });

  it('is another one for everything that changes a result', () => {
    const keys = [
      key(),
      key({ style: 'module' }),
      key({ modules: [{ path: 'example.org/x', version: 'v1.0.1' }] }),
      key({ programs: { a: 'example.org/x/other', b: 'example.org/x/b' } }),
      key({ cgo: true }),
      key({ tags: [] }),
      key({ ldflags: [] }),
      key({ replace: { modules: 'example.org/*', at: 'v0.0.0', by: 'v1.0.1' } }),
      key({}, { arch: 'arm64' }),
      key({}, { programs: ['a'] }),
      key({}, {}, ['gcc 12']),
      key({}, {}, ['gcc 13']),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('goKey', () => {
  it('names the Go that would be brought where none is installed', async () => {
    const signal = new AbortController().signal;
    expect(await goKey(REQUEST, { env: { PATH: '/nowhere' }, signal })).toBe(`go${fetchedVersion()}-${key()}`);
  });

  it.each(['GOSUMDB=off', 'GOPRIVATE=*', 'GONOSUMDB=*', 'GOINSECURE=*'])(
    'what was built with %s is not what was verified',
    async (setting) => {
      const [name = '', value] = setting.split('=');
      const { signal } = new AbortController();
      const at = (unverified: boolean, env: object) =>
        goKey(REQUEST, { env: { PATH: '/nowhere', ...env }, signal, unverified });
      expect(await at(true, { [name]: value })).not.toBe(await at(true, {}));
      // Where it is not allowed the setting does not count: the build is verified, or refused.
      expect(await at(false, { [name]: value })).toBe(await at(true, {}));
    },
  );
});

describe('executableName', () => {
  it.each([
    ['k8s.io/kubernetes/cmd/kubelet', 'kubelet'],
    ['go.etcd.io/etcd/server/v3', 'server'],
    ['github.com/flannel-io/flannel', 'flannel'],
    ['helm.sh/helm/v3/cmd/helm', 'helm'],
  ])('%s is %s', (path, name) => {
    expect(executableName(path)).toBe(name);
  });
});
