import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildNeed } from '../../../model/catalog/need.ts';
import type { Arch } from '../../../model/catalog/schema.ts';
import { checkNeeds, compilerEnv, ownArch } from './cgo.ts';

const NEEDS = ['gcc', 'libc6-dev', 'libseccomp-dev', 'pkg-config'];
const BUILD: BuildNeed = {
  style: 'module',
  modules: [{ path: 'example.org/x', version: 'v1.0.0' }],
  programs: { x: 'example.org/x' },
  arches: ['amd64', 'arm64'],
  cgo: true,
  needs: NEEDS,
  tags: [],
  ldflags: [],
};
const own = ownArch() as Arch;
const other: Arch = own === 'amd64' ? 'arm64' : 'amd64';
const cross = { amd64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' }[other];

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubexm-cgo-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A directory of programs that say yes, or no where a word of theirs is forbidden. */
async function machine(name: string, programs: Readonly<Record<string, string>>): Promise<string> {
  const path = join(dir, name);
  await mkdir(path);
  for (const [program, forbidden] of Object.entries(programs)) {
    const script = `#!/bin/sh\nfor word; do [ "$word" = '${forbidden}' ] && exit 1; done\nexit 0\n`;
    await writeFile(join(path, program), script);
    await chmod(join(path, program), 0o755);
  }
  return path;
}

const check = (path: string, arch: Arch, needs = NEEDS) =>
  checkNeeds({ ...BUILD, needs }, arch, 'x', {
    cwd: dir,
    env: { PATH: path, ...compilerEnv(arch, {}) },
    signal: new AbortController().signal,
  });

describe('checkNeeds', () => {
  it('is content where all is there', async () => {
    await check(await machine('all', { gcc: 'never', 'pkg-config': 'never' }), own);
  });

  it('names everything where there is no compiler', async () => {
    await expect(check(await machine('none', {}), own)).rejects.toMatchObject({
      code: 'KX7036',
      params: { missing: NEEDS.join(', '), packages: NEEDS.join(' ') },
    });
  });

  it.each([
    ['no static C library', { gcc: '-static', 'pkg-config': 'never' }, 'libc6-dev, libseccomp-dev'],
    ['a library that cannot be linked', { gcc: '-lseccomp', 'pkg-config': 'never' }, 'libseccomp-dev'],
    ['a library that pkg-config does not know', { gcc: 'never', 'pkg-config': 'libseccomp' }, 'libseccomp-dev'],
    ['no pkg-config', { gcc: 'never' }, 'pkg-config'],
  ])('%s', async (name, programs, missing) => {
    const path = await machine(name.replaceAll(' ', '-'), programs as Record<string, string>);
    await expect(check(path, own)).rejects.toMatchObject({ code: 'KX7036', params: { missing } });
  });

  it('refuses another processor without a cross compiler, and says what would help', async () => {
    const path = await machine('uncrossed', { gcc: 'never', 'pkg-config': 'never' });
    await expect(check(path, other)).rejects.toMatchObject({
      code: 'KX7037',
      params: {
        arch: other,
        machine: own,
        packages: `gcc-${cross.replace('_', '-').replace(/-gcc$/, '')} libc6-dev-${other}-cross libseccomp-dev:${other} pkg-config`,
      },
    });
  });

  it('is content with a cross compiler and its libraries', async () => {
    await check(await machine('crossed', { [cross]: 'never', 'pkg-config': 'never' }), other);
    const path = await machine('half-crossed', { [cross]: '-lseccomp', 'pkg-config': 'never' });
    await expect(check(path, other)).rejects.toMatchObject({ code: 'KX7037', params: { missing: 'libseccomp-dev' } });
  });
});

describe('compilerEnv', () => {
  it('takes the compiler that the user names, for this processor only', () => {
    expect(compilerEnv(own, {})).toEqual({});
    expect(compilerEnv(own, { CC: 'clang' })).toEqual({ CC: 'clang' });
    expect(compilerEnv(other, { CC: 'clang' })).toMatchObject({ CC: cross });
  });
});
