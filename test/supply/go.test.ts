import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { goBuild, goBuildSource, goKey } from '../../src/artifacts/sources/go/index.ts';
import { askGo, type Go } from '../../src/artifacts/sources/go/installed.ts';
import { Session } from '../../src/artifacts/sources/go/session.ts';
import type { BuildNeed } from '../../src/model/catalog/need.ts';
import { type Said, serve } from './go-fake.ts';
import { GOOD, HELPED, MODULES, only, RECIPE, STAGED, sumdb } from './go-modules.ts';

const here = spawnSync('go', ['version']).status === 0;
const arch = process.arch === 'x64' ? 'amd64' : 'arm64';

let root: string;
const servers: Server[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kubexm-go-'));
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(async () => {
  // Go keeps modules read-only.
  if (here) execFileSync('chmod', ['-R', 'u+w', root]);
  await rm(root, { recursive: true, force: true });
});

/** Someone's machine: a home and caches of its own, and the proxy that its environment names. */
class Machine {
  readonly said: string[] = [];
  readonly counted: (readonly [number, number | undefined])[] = [];
  readonly stop = new AbortController();
  readonly home: string;
  readonly env: Record<string, string | undefined>;

  constructor(name: string, goproxy: string, more: Record<string, string> = {}) {
    this.home = join(root, name);
    this.env = {
      PATH: process.env['PATH'],
      HOME: this.home,
      // Compiling the standard library again would tell nothing, except where a test asks for it.
      GOCACHE: join(root, 'gocache'),
      GOPROXY: goproxy,
      GOSUMDB: sumdb.key,
      ...more,
    };
  }

  get cache(): string {
    return join(this.home, 'cache');
  }

  get io() {
    return {
      signal: this.stop.signal,
      env: this.env,
      progress: (done: number, total: number | undefined) => void this.counted.push([done, total]),
      say: (text: string) => void this.said.push(text),
    };
  }

  async build(build: BuildNeed, on: 'amd64' | 'arm64' = arch) {
    await mkdir(this.home, { recursive: true });
    const request = { build, arch: on, programs: Object.keys(build.programs) };
    return await goBuild(request, join(this.home, 'out'), this.cache, this.io);
  }
}

async function proxy(answers: Readonly<Record<string, Said>> = GOOD): Promise<string> {
  const { url, server } = await serve(answers);
  servers.push(server);
  return url;
}

const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
const output = (file: string) => execFileSync(file, { encoding: 'utf8' });

describe.runIf(here)('building from a module proxy (needs go)', { timeout: 300_000 }, () => {
  it('builds several programs inside their module', async () => {
    const machine = new Machine('module', await proxy());
    const built = await machine.build(RECIPE);
    expect(built).toEqual({ 'program-one': join(machine.home, 'out/program-one'), two: join(machine.home, 'out/two') });
    expect(output(built['program-one']!)).toBe('one v1.0.0 lib-1.2.3\n');
    expect(output(built['two']!)).toBe('two v1.0.0 lib-1.2.3\n');
    expect(await readdir(join(machine.cache, 'work'))).toEqual([]);
    const phases = new Set(machine.said.map((text) => text.replace(/ \(\d+ s\)$/, '')));
    expect([...phases]).toEqual([
      'downloading example.org/tool v1.0.0',
      'downloading what example.org/tool v1.0.0 requires',
      'building example.org/tool v1.0.0',
    ]);
    const [done, total] = machine.counted.at(-1)!;
    expect(done).toBe(total);
    expect(total).toBeGreaterThan(0);
  });

  it('gives the same program in other directories, with other caches and other flags in the environment', async () => {
    const one = new Machine('same-one', await proxy());
    const two = new Machine('elsewhere/and/deeper/same-two', await proxy(), {
      GOCACHE: join(root, 'another-gocache'),
      GOFLAGS: '-mod=vendor -tags=other -ldflags=-X=main.version=evil',
      GOAMD64: 'v3',
      CGO_ENABLED: '1',
      GOEXPERIMENT: 'nosuchthing',
    });
    const [left, right] = [await one.build(RECIPE), await two.build(RECIPE)];
    expect(await sha256(left['two']!)).toBe(await sha256(right['two']!));
    const [wrapped, again] = [await one.build(STAGED), await two.build(STAGED)];
    expect(await sha256(wrapped['three']!)).toBe(await sha256(again['three']!));
    const request = { build: RECIPE, arch, programs: ['two'] } as const;
    expect(await goKey(request, one.io)).toBe(await goKey(request, two.io));
  });

  it('builds in a module of its own where requirements were never published', async () => {
    const machine = new Machine('wrapper', await proxy());
    expect(output((await machine.build(STAGED))['three']!)).toBe('three v1.0.0 lib-1.2.3\n');
    await expect(machine.build({ ...STAGED, style: 'module' })).rejects.toMatchObject({ code: 'KX7030' });
  });

  it('leaves out files of a module that need what nobody published', async () => {
    const [one, two] = [new Machine('without', await proxy()), new Machine('in/a/deeper/without', await proxy())];
    const file = (await one.build(HELPED))['four']!;
    expect(output(file)).toBe('four v1.0.0 lib-1.2.3\n');
    expect(await sha256((await two.build(HELPED))['four']!)).toBe(await sha256(file));
    expect(await readdir(join(one.cache, 'work'))).toEqual([]);
    const { without: _, ...whole } = HELPED;
    await expect(one.build(whole)).rejects.toMatchObject({ detail: expect.stringContaining('helped/mod/check') });
    const wrong = one.build({ ...HELPED, without: ['cmd/four/testing.go', 'cmd/five.go'] });
    await expect(wrong).rejects.toMatchObject({ detail: expect.stringContaining('cmd/five.go: to be left out') });
    const key = (build: BuildNeed) => goKey({ build, arch, programs: ['four'] }, one.io);
    expect(await key(whole)).not.toBe(await key(HELPED));
  });

  it('builds for another processor, and notices when it is not that one', async () => {
    const other = arch === 'amd64' ? 'arm64' : 'amd64';
    const machine = new Machine('other', await proxy());
    const built = await machine.build(RECIPE, other);
    const machineCode = (await readFile(built['two']!)).readUInt16LE(18);
    expect(machineCode).toBe({ amd64: 62, arm64: 183 }[other]);
  });

  it('builds again from its caches when the proxy is gone', async () => {
    const machine = new Machine('offline', await proxy());
    await machine.build(STAGED);
    machine.env['GOPROXY'] = 'http://127.0.0.1:1';
    expect(await machine.build(STAGED)).toHaveProperty('three');
  });

  it('refuses what is not what the checksum database knows', async () => {
    const records = {
      ...MODULES.records,
      'example.org/lib@v1.2.3': MODULES.records['example.org/lib@v1.2.3']!.replace(/h1:.{6}/, 'h1:AAAAAA'),
    };
    const machine = new Machine('mismatch', await proxy({ ...GOOD, ...sumdb.files(records) }));
    await expect(machine.build(STAGED)).rejects.toMatchObject({ code: 'KX7033' });
  });

  it('refuses what the checksum database does not know', async () => {
    const lookup = `/sumdb/${sumdb.name}/lookup/example.org/tool@v1.0.0`;
    const machine = new Machine('unknown', await proxy({ ...GOOD, [lookup]: 404 }));
    await expect(machine.build(RECIPE)).rejects.toMatchObject({ code: 'KX7034' });
  });

  it('says that the proxy does not have it', async () => {
    const machine = new Machine('absent', await proxy({}));
    await expect(machine.build(RECIPE)).rejects.toMatchObject({
      code: 'KX7032',
      params: { what: 'example.org/tool v1.0.0' },
    });
  });

  it('says in one line that the proxy cannot be reached, without its password', async () => {
    const began = Date.now();
    const machine = new Machine('unreachable', 'https://me:secret@127.0.0.1:1');
    await expect(machine.build(RECIPE)).rejects.toSatisfy(
      (error: Error & { code: string; params: object; detail?: string }) => {
        expect(error.code).toBe('KX7031');
        expect(error.message).not.toContain('\n');
        return !JSON.stringify([error.message, error.params, error.detail]).includes('secret');
      },
    );
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(await readdir(join(machine.cache, 'work'))).toEqual([]);
  });

  it('gives up on a proxy that says nothing', async () => {
    const machine = new Machine('silent', await proxy({ '/example.org/tool/@v/v1.0.0.info': 'SILENCE' }));
    const directory = join(machine.home, 'work');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'go.mod'), 'module x\n');
    const go = (await askGo('go', directory, machine.io)) as Go;
    const session = new Session(go, { what: 'x', arch, cgo: false, directory, stallSeconds: 2 }, machine.io);
    const asking = session.go(['mod', 'download', '-json', 'example.org/tool@v1.0.0'], { directory, network: true });
    await expect(asking).rejects.toMatchObject({ code: 'KX7031' });
    session.progress.stop();
  });

  it('shows what the compiler said', async () => {
    const machine = new Machine('broken', await proxy());
    await expect(machine.build(only('broken'))).rejects.toMatchObject({
      code: 'KX7030',
      detail: expect.stringContaining('undefined: nothing'),
    });
    await expect(
      goBuild({ build: RECIPE, arch, programs: ['other'] }, machine.home, machine.cache, machine.io),
    ).rejects.toMatchObject({ code: 'KX7041' });
  });

  it('says which Go would be needed', async () => {
    const machine = new Machine('future', await proxy());
    const params = { what: 'example.org/future v1.0.0', version: '1.999.0' };
    await expect(machine.build(only('future'))).rejects.toMatchObject({ code: 'KX7039', params });
  });

  it('says that the disk is full', async (context) => {
    const real = execFileSync('sh', ['-c', 'command -v go'], { encoding: 'utf8' }).trim();
    if (spawnSync('unshare', ['-rm', 'true']).status !== 0) return context.skip('needs mount namespaces');
    const machine = new Machine('full', await proxy());
    const bin = join(machine.home, 'bin');
    await mkdir(bin, { recursive: true });
    // The compiler alone sees a disk of 64 KiB.
    const mount = `mount -t tmpfs -o size=64k none "$0" && exec ${real} "$@"`;
    const script = `#!/bin/sh\n[ "$1" = build ] || exec ${real} "$@"\nexec unshare -rm sh -c '${mount}' "$GOTMPDIR" "$@"\n`;
    await writeFile(join(bin, 'go'), script, { mode: 0o755 });
    machine.env['PATH'] = `${bin}:${process.env['PATH']}`;
    await expect(machine.build(RECIPE)).rejects.toMatchObject({
      code: 'KX7035',
      detail: expect.stringContaining('no space left on device'),
    });
    expect(await readdir(join(machine.cache, 'work'))).toEqual([]);
  });

  it('stops at once, and leaves nothing behind', async () => {
    const machine = new Machine('aborted', await proxy({ ...GOOD, '/example.org/lib/@v/v1.2.3.zip': 'SILENCE' }));
    const building = machine.build(STAGED);
    const timer = setInterval(() => {
      if (machine.said.some((text) => text.startsWith('downloading what'))) machine.stop.abort(new Error('enough'));
    }, 50);
    await expect(building).rejects.toThrow('enough');
    clearInterval(timer);
    expect(await readdir(join(machine.cache, 'work'))).toEqual([]);
  });

  it('takes only static programs of what has C in it', async (context) => {
    if (spawnSync('gcc', ['--version']).status !== 0) return context.skip('needs gcc');
    const machine = new Machine('c', await proxy());
    const withC = only('withc', { cgo: true, needs: ['gcc', 'libc6-dev'] });
    await expect(machine.build(withC)).rejects.toMatchObject({ code: 'KX7038' });
    const ldflags = ['-linkmode external', '-extldflags -static'];
    const one = await machine.build({ ...withC, ldflags });
    const two = await new Machine('c-elsewhere', await proxy()).build({ ...withC, ldflags });
    expect(await sha256(one['withc']!)).toBe(await sha256(two['withc']!));
    const other = arch === 'amd64' ? 'arm64' : 'amd64';
    const cross = { amd64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' }[other];
    if (spawnSync(cross, ['--version']).status === 0) return;
    await expect(machine.build({ ...withC, ldflags }, other)).rejects.toMatchObject({ code: 'KX7037' });
  });

  it('builds sources that are here, without a network', async () => {
    const machine = new Machine('source', 'off', { GOSUMDB: 'off' });
    const dir = join(machine.home, 'program');
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'go.mod'), 'module kubexm.local/anything\n\ngo 1.21\n');
    await writeFile(join(dir, 'main.go'), 'package main\n\nvar version string\n\nfunc main() { print(version) }\n');
    const request = { dir, program: 'pause', arch, ldflags: ['-X main.version=3.10'] } as const;
    const file = await goBuildSource(request, join(machine.home, 'out'), machine.cache, machine.io);
    expect(spawnSync(file).stderr.toString()).toBe('3.10');
    expect((await readdir(dir)).sort()).toEqual(['go.mod', 'main.go']);
    expect(await readdir(join(machine.cache, 'work'))).toEqual([]);
  });
});
