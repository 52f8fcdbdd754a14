import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownArch } from '../../src/artifacts/sources/go/cgo.ts';
import { fetchedVersion, fetchToolchain, placeOf } from '../../src/artifacts/sources/go/fetch-toolchain.ts';
import { parseProxies } from '../../src/artifacts/sources/go/proxies.ts';
import { FakeSumdb, h1, type Said, serve, zipOf } from './go-fake.ts';

const VERSION = `v0.0.1-go${fetchedVersion()}.${process.platform}-${ownArch()}`;
const PREFIX = `golang.org/toolchain@${VERSION}`;
const FILES = {
  [`${PREFIX}/bin/go`]: '#!/bin/sh\necho a go\n',
  [`${PREFIX}/src/_go.mod`]: 'module std\n',
  [`${PREFIX}/src/cmd/_go.mod`]: 'module cmd\n',
  [`${PREFIX}/pkg/tool/linux_amd64/compile`]: 'a compiler',
  [`${PREFIX}/README.md`]: 'read me',
};
const ZIP = `/golang.org/toolchain/@v/${VERSION}.zip`;

const sumdb = new FakeSumdb();
const record = (hash: string) =>
  `golang.org/toolchain ${VERSION} ${hash}\ngolang.org/toolchain ${VERSION}/go.mod h1:x=\n`;
const LOOKUP = `/sumdb/${sumdb.name}/lookup/golang.org/toolchain@${VERSION}`;
const SUPPORTED = `/sumdb/${sumdb.name}/supported`;
const GOOD: Readonly<Record<string, Said>> = {
  [SUPPORTED]: '',
  [LOOKUP]: sumdb.answer(record(h1(FILES))),
  [ZIP]: zipOf(FILES),
};

let cache: string;
const servers: Server[] = [];
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'kubexm-toolchain-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await rm(cache, { recursive: true, force: true });
});

async function proxy(answers: Readonly<Record<string, Said>>) {
  const started = await serve(answers);
  servers.push(started.server);
  return started;
}

const fetchFrom = (goproxy: string, env: object = {}, signal = new AbortController().signal) =>
  fetchToolchain('x', cache, {
    signal,
    env: { GOPROXY: goproxy, GOSUMDB: sumdb.key, ...env },
    progress: () => undefined,
    say: () => undefined,
  });

/** After a failure nothing may be left that a later run would take for a toolchain. */
async function nothingLeft(): Promise<void> {
  expect(await readdir(join(cache, 'work')).catch(() => [])).toEqual([]);
  expect(await readdir(join(cache, 'go')).catch(() => [])).toEqual([]);
}

describe('a toolchain from the module proxy', () => {
  it('is unpacked so that it runs, and brought once', async () => {
    const { url, asked } = await proxy(GOOD);
    const root = await fetchFrom(url);
    expect((await stat(join(root, 'bin/go'))).mode & 0o111).toBe(0o111);
    expect((await stat(join(root, 'pkg/tool/linux_amd64/compile'))).mode & 0o111).toBe(0o111);
    expect((await stat(join(root, 'README.md'))).mode & 0o111).toBe(0);
    expect(await readFile(join(root, 'src/cmd/go.mod'), 'utf8')).toBe('module cmd\n');
    expect(await readdir(join(cache, 'work'))).toEqual([]);
    const count = asked.length;
    expect(await fetchFrom(url)).toBe(root);
    expect(asked).toHaveLength(count);
  });

  it('is refused when it is not what the database knows', async () => {
    const { url } = await proxy({ ...GOOD, [ZIP]: zipOf({ ...FILES, [`${PREFIX}/bin/go`]: 'evil' }) });
    await expect(fetchFrom(url)).rejects.toMatchObject({ code: 'KX7033' });
    await nothingLeft();
  });

  it.each([
    ['names that lead elsewhere', { [`${PREFIX}/../../evil`]: 'x' }],
    ['names of another module', { 'example.org/x@v1.0.0/bin/go': 'x' }],
  ])('is refused with %s, whatever its hash', async (_, files) => {
    const all = { ...FILES, ...files };
    const { url } = await proxy({ ...GOOD, [LOOKUP]: sumdb.answer(record(h1(all))), [ZIP]: zipOf(all) });
    await expect(fetchFrom(url)).rejects.toMatchObject({ code: 'KX7033' });
    await nothingLeft();
  });

  it('is refused when it is no zip, or half of one', async () => {
    for (const body of ['no zip', zipOf(FILES).subarray(0, 300)]) {
      const { url } = await proxy({ ...GOOD, [ZIP]: body });
      await expect(fetchFrom(url)).rejects.toMatchObject({ code: 'KX7033' });
    }
    await nothingLeft();
  });

  it('is refused when the database signed something else', async () => {
    const forged = sumdb.answer(record('h1:forged='), record(h1(FILES)));
    const { url } = await proxy({ ...GOOD, [LOOKUP]: forged });
    await expect(fetchFrom(url)).rejects.toMatchObject({ code: 'KX7033' });
    const stranger = new FakeSumdb().answer(record(h1(FILES)));
    const { url: other, asked } = await proxy({ ...GOOD, [LOOKUP]: stranger });
    await expect(fetchFrom(other)).rejects.toMatchObject({ code: 'KX7033' });
    expect(asked).not.toContain(ZIP);
  });

  it('is not taken where the database does not know it, or there is none', async () => {
    const { url } = await proxy({ ...GOOD, [LOOKUP]: 404 });
    await expect(fetchFrom(url)).rejects.toMatchObject({ code: 'KX7034' });
    await expect(fetchFrom(url, { GOSUMDB: 'off' })).rejects.toMatchObject({ code: 'KX7034' });
  });

  it('says that the proxy does not have it, cannot be reached, or says nothing', async () => {
    const { url } = await proxy({ ...GOOD, [ZIP]: 404 });
    await expect(fetchFrom(url)).rejects.toMatchObject({ code: 'KX7032' });
    await expect(fetchFrom('http://user:secret@127.0.0.1:1')).rejects.toSatisfy(
      (error: Error & { code: string; params: object }) => {
        expect(error.code).toBe('KX7031');
        expect(error.message).not.toContain('\n');
        return !JSON.stringify([error.message, error.params]).includes('secret');
      },
    );
    const stop = new AbortController();
    const { url: silent, asked } = await proxy({ ...GOOD, [ZIP]: 'SILENCE' });
    const fetching = fetchFrom(silent, {}, stop.signal);
    const timer = setInterval(() => asked.includes(ZIP) && stop.abort(new Error('enough')), 20);
    await expect(fetching).rejects.toThrow('enough');
    clearInterval(timer);
    await nothingLeft();
  });

  it('comes from the next proxy as GOPROXY says', async () => {
    const [empty, full] = [await proxy({}), await proxy(GOOD)];
    await fetchFrom(`${empty.url},${full.url}`);
    await rm(join(cache, 'go'), { recursive: true });
    const broken = await proxy({ [SUPPORTED]: 403, [ZIP]: 403 });
    await expect(fetchFrom(`${broken.url},${full.url}`)).rejects.toMatchObject({ code: 'KX7031' });
    await fetchFrom(`${broken.url}|${full.url}`);
  });
});

describe('parseProxies', () => {
  it.each([
    [undefined, ['https://go.dev/dl/mod absent']],
    [
      'https://a/,b.example.org|direct,https://never',
      ['https://a absent', 'https://b.example.org always', 'https://go.dev/dl/mod absent'],
    ],
    ['off', []],
    ['https://a,off,https://never', ['https://a absent']],
    ['file:///srv/proxy', ['file:///srv/proxy absent']],
  ])('%s', (text, expected) => {
    expect(parseProxies(text).map(({ url, next }) => `${url} ${next}`)).toEqual(expected);
  });
});

describe('placeOf', () => {
  it('lets only tools run, and renames only modules of the sources', () => {
    expect(placeOf('bin/gofmt')).toEqual({ name: 'bin/gofmt', mode: 0o755 });
    expect(placeOf('lib/wasm/go_js_wasm_exec')).toEqual({ name: 'lib/wasm/go_js_wasm_exec', mode: 0o755 });
    expect(placeOf('src/_go.mod')).toEqual({ name: 'src/go.mod', mode: 0o644 });
    expect(placeOf('test/_go.mod')).toEqual({ name: 'test/_go.mod', mode: 0o644 });
  });
});
