import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBlobStore } from '../../src/artifacts/oci/index.ts';
import { aptConfig, aptEnvironment } from '../../src/artifacts/sources/debian/apt-config.ts';
import { makeImage } from '../../src/artifacts/sources/image/index.ts';
import type { Arch } from '../../src/model/catalog/schema.ts';
import { type FakePackage, fakeRepository, madeOf, supplyIo, unpackImage } from './image-world.ts';

const hasApt = ['apt-get', 'dpkg-deb'].every((name) => spawnSync(name, ['--version']).status === 0);
const LIBRARY = Buffer.alloc(0);
const PACKAGES: readonly FakePackage[] = [
  {
    name: 'tool',
    version: '1:1.0-1',
    depends: 'libtool (>= 1), debconf',
    files: {
      'bin/tool': 'tool of old',
      'usr/bin/other': 'other',
      'usr/sbin/tool-save': '->../bin/tool',
      'usr/share/doc/tool/README': 'read me',
      'usr/share/doc/tool/copyright': 'free',
      'usr/share/man/man8/tool.8': 'manual',
      'usr/share/locale/de/LC_MESSAGES/tool.mo': 'German',
      'lib/systemd/system/tool.service': 'unit',
    },
  },
  { name: 'libtool', version: '2.0', section: 'libs', files: { 'lib/x/libtool.so.1': LIBRARY } },
  { name: 'debconf', version: '1.5', section: 'admin', files: { 'usr/bin/debconf': 'questions' } },
  {
    name: 'ca-certificates',
    version: '2025',
    files: {
      'usr/share/ca-certificates/mozilla/B.crt': 'certificate b\n',
      'usr/share/ca-certificates/mozilla/A.crt': 'certificate a',
    },
  },
];
const MADE = madeOf({
  debian: ['ca-certificates', 'tool'],
  links: { '/bin/alias': 'tool' },
  entrypoint: ['/usr/bin/tool'],
});

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-debian-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function make(
  env: NodeJS.ProcessEnv,
  made = MADE,
  arch: Arch = 'amd64',
  cache = mkdtempSync(join(dir, 'cache-')),
) {
  const store = await openBlobStore(cache);
  const io = supplyIo(env);
  const result = await makeImage({ made, reference: 'example.com/tool:v1', arch, programs: {} }, store, cache, io);
  return { ...result, file: store.path(`sha256:${result.sha256}`), cache, said: io.said };
}

describe.skipIf(!hasApt)(
  hasApt ? 'an image with packages' : 'an image with packages (needs apt-get and dpkg-deb)',
  () => {
    test.each(['amd64', 'arm64'] as const)(
      'has them and their libraries, for %s, and is the same twice',
      async (arch) => {
        const env = fakeRepository(dir, PACKAGES);
        const first = await make(env, MADE, arch);
        const second = await make(env, { ...MADE, debian: [...MADE.debian].reverse() }, arch);
        expect(second.sha256).toBe(first.sha256);
        expect(first.packages).toEqual(['ca-certificates=2025', 'libtool=2.0', 'tool=1:1.0-1']);
        const { root, config } = unpackImage(first.file, join(dir, 'unpacked'));
        expect(config).toMatchObject({
          architecture: arch,
          config: { Labels: { 'io.kubexm.debian': 'ca-certificates=2025 libtool=2.0 tool=1:1.0-1' } },
        });
        // Everything is in /usr, as on any Debian of today.
        expect(readlinkSync(join(root, 'bin'))).toBe('usr/bin');
        expect(readFileSync(join(root, 'usr/bin/tool'), 'utf8')).toBe('tool of old');
        expect(readFileSync(join(root, 'usr/bin/alias'), 'utf8')).toBe('tool of old');
        expect(readFileSync(join(root, 'usr/sbin/tool-save'), 'utf8')).toBe('tool of old');
        expect(existsSync(join(root, 'usr/lib/x/libtool.so.1'))).toBe(true);
        expect(readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')).toBe(
          'certificate a\ncertificate b\n',
        );
        // Nobody becomes somebody else by it.
        expect(statSync(join(root, 'usr/bin/tool')).mode & 0o7777).toBe(0o755);
        for (const path of [
          'usr/share/man',
          'usr/share/locale',
          'usr/share/doc/tool/README',
          'usr/lib/systemd',
          'usr/bin/debconf',
        ]) {
          expect(existsSync(join(root, path)), path).toBe(false);
        }
        expect(existsSync(join(root, 'usr/share/doc/tool/copyright'))).toBe(true);
        for (const trace of ['hook-was-run', 'script-was-run']) expect(existsSync(join(dir, trace)), trace).toBe(false);
        expect(readdirSync(join(first.cache, 'work'))).toEqual([]);
      },
    );

    test('a package that there is not', async () => {
      const env = fakeRepository(dir, PACKAGES);
      await expect(make(env, { ...MADE, debian: ['tool', 'nothing-like-it'] })).rejects.toMatchObject({
        code: 'KX7052',
        params: { packages: 'nothing-like-it', arch: 'amd64' },
      });
    });

    test('a package that came after the indexes were read', async () => {
      const cache = mkdtempSync(join(dir, 'cache-'));
      await make(fakeRepository(dir, PACKAGES), MADE, 'amd64', cache);
      const newer = PACKAGES.map((one) => (one.name === 'tool' ? { ...one, version: '1:1.1-1' } : one));
      rmSync(join(dir, 'repository'), { recursive: true });
      const env = fakeRepository(dir, [...newer, { name: 'fresh', version: '1', files: { 'usr/bin/fresh': 'new' } }]);
      const { packages } = await make(env, { ...MADE, debian: ['fresh', 'tool'] }, 'amd64', cache);
      expect(packages).toEqual(['fresh=1', 'libtool=2.0', 'tool=1:1.1-1']);
    });

    test('packages are fetched once', async () => {
      const env = fakeRepository(dir, PACKAGES);
      const first = await make(env);
      expect(first.said.join('\n')).toContain('fetching 3 packages');
      for (const name of readdirSync(join(dir, 'repository'))) {
        if (name.endsWith('.deb')) rmSync(join(dir, 'repository', name));
      }
      const second = await make(env, MADE, 'amd64', first.cache);
      expect(second.sha256).toBe(first.sha256);
      expect(second.said.join('\n')).not.toContain('fetching');
    });

    test('a package in the cache that was damaged is fetched again', async () => {
      const env = fakeRepository(dir, PACKAGES);
      const { cache, sha256 } = await make(env);
      const archives = join(cache, 'debian/amd64/archives');
      for (const name of readdirSync(archives)) {
        const data = readFileSync(join(archives, name));
        data[200] = (data[200] ?? 0) ^ 1;
        writeFileSync(join(archives, name), data);
      }
      expect((await make(env, MADE, 'amd64', cache)).sha256).toBe(sha256);
    });

    test('a package that is not what the index says is refused', async () => {
      const env = fakeRepository(dir, PACKAGES);
      const file = join(dir, 'repository/tool_1.0-1_amd64.deb');
      const data = readFileSync(file);
      data[data.length - 600] = (data[data.length - 600] ?? 0) ^ 1;
      writeFileSync(file, data);
      await expect(make(env)).rejects.toMatchObject({ code: expect.stringMatching(/^KX705[34]$/) });
    });

    test('a source that nobody has signed is refused', async () => {
      const env = fakeRepository(dir, PACKAGES, '');
      await expect(make(env)).rejects.toMatchObject({ code: 'KX7053', message: expect.stringContaining('not signed') });
    });

    test('a source that does not answer is the reason, not a package that is not there', async () => {
      const env = fakeRepository(dir, PACKAGES);
      writeFileSync(join(dir, 'etc/apt/sources.list'), 'deb http://user:secret@127.0.0.1:1/debian test main\n');
      const failure: unknown = await make(env).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'KX7053', message: expect.stringContaining('127.0.0.1') });
      expect(JSON.stringify(failure) + String(failure)).not.toContain('secret');
    });

    test('two packages with the same file', async () => {
      const env = fakeRepository(dir, [...PACKAGES, { name: 'twin', version: '1', files: { 'usr/bin/tool': 'twin' } }]);
      await expect(make(env, { ...MADE, debian: ['tool', 'twin'] })).rejects.toMatchObject({
        code: 'KX7054',
        message: expect.stringContaining('usr/bin/tool is in another package too'),
      });
    });

    test('a program whose library no package brings', async () => {
      const program = readFileSync('/bin/ls');
      const env = fakeRepository(dir, [{ name: 'tool', version: '1', files: { 'usr/bin/ls': program } }]);
      await expect(make(env, madeOf({ debian: ['tool'], entrypoint: ['/usr/bin/ls'] }))).rejects.toMatchObject({
        code: 'KX7055',
        params: { file: '/usr/bin/ls', library: expect.stringMatching(/^lib.*\.so/) },
      });
    });

    test('a link in a package leads nobody out of the image', async () => {
      const outside = join(dir, 'outside');
      const env = fakeRepository(dir, [
        { name: 'trap', version: '1', files: { 'usr/lib/x': `->${outside}` } },
        { name: 'victim', version: '1', files: { 'usr/lib/x/file': 'written' } },
      ]);
      const made = madeOf({ debian: ['trap', 'victim'], entrypoint: ['/x'] });
      await expect(make(env, made)).rejects.toMatchObject({ code: expect.stringMatching(/^KX7/) });
      expect(existsSync(outside)).toBe(false);
    });
  },
);

test('without apt it says what is missing', async () => {
  const empty = mkdtempSync(join(dir, 'bin-'));
  await expect(make({ PATH: empty, HOME: dir })).rejects.toMatchObject({
    code: 'KX7051',
    params: { missing: 'apt-config, apt-cache, apt-get, dpkg-deb' },
  });
  const some = mkdtempSync(join(dir, 'bin-'));
  for (const name of ['apt-config', 'apt-cache', 'apt-get']) symlinkSync('/bin/true', join(some, name));
  expect(lstatSync(join(some, 'apt-get')).isSymbolicLink()).toBe(true);
  await expect(make({ PATH: some, HOME: dir })).rejects.toMatchObject({ params: { missing: 'dpkg-deb' } });
});

describe('the settings of the private apt', () => {
  test('have the machine’s sources and network, and none of its hooks', () => {
    const theirs = [
      'APT::Update::Post-Invoke:: "touch /x";',
      'DPkg::Post-Invoke:: "touch /y";',
      'Acquire::http::Proxy "http://user:secret@proxy:3128";',
      'Acquire::AllowInsecureRepositories "true";',
      'Dir::Etc "etc/apt";',
      'Dir::Etc::sourceparts "sources.list.d";',
      'Dir::Etc::parts "apt.conf.d";',
      'Dir::State "var/lib/apt";',
    ].join('\n');
    const lines = aptConfig(theirs, '/root', 'arm64').split('\n');
    expect(lines).toContain('Acquire::http::Proxy "http://user:secret@proxy:3128";');
    expect(lines).toContain('Dir::Etc::sourceparts "sources.list.d";');
    expect(lines.join('\n')).not.toMatch(/Post-Invoke|var\/lib\/apt|apt\.conf\.d/);
    expect(lines.lastIndexOf('Acquire::AllowInsecureRepositories "false";')).toBeGreaterThan(
      lines.indexOf('Acquire::AllowInsecureRepositories "true";'),
    );
    expect(lines).toContain('APT::Architecture "arm64";');
  });

  test('proxies of the environment, in either case', () => {
    expect(
      aptEnvironment({ HTTPS_PROXY: 'http://a', http_proxy: 'http://b', NO_PROXY: 'x', SECRET: 's' }, '/c'),
    ).toEqual({
      PATH: expect.any(String),
      HOME: '/',
      LC_ALL: 'C',
      APT_CONFIG: '/c',
      http_proxy: 'http://b',
      https_proxy: 'http://a',
      no_proxy: 'x',
    });
  });
});
