import { createHash, randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addUser,
  type DelayProxy,
  describeHosts,
  type Rig,
  type RigHost,
  startProxy,
  startRig,
} from '../../test/rig/sshd.ts';
import { sh } from '../model/script.ts';
import { connectMachine } from './connect.ts';
import type { LinkedMachine } from './machine.ts';

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

describeHosts('files', () => {
  let rig: Rig;
  let host: RigHost;
  let proxy: DelayProxy;
  let machine: LinkedMachine;

  beforeAll(async () => {
    rig = await startRig();
    host = rig.hosts[0] as RigHost;
    proxy = await startProxy(host.port);
    machine = await connectMachine(host.target({ port: proxy.port }), { reconnectMs: 10_000 });
  });
  afterAll(async () => {
    await machine.close();
    await proxy.close();
    await rig.close();
  });

  const there = (path: string): Promise<Buffer> => readFile(host.path(path));
  const modeOf = async (path: string): Promise<string> => (await host.exec(`stat -c '%a %u:%g' '${path}'`)).trim();
  const list = async (): Promise<string[]> =>
    (await readdir(host.path('/srv/kx-test'))).filter((name) => name.startsWith('.'));
  const localFile = async (name: string, content: Uint8Array | string): Promise<string> => {
    const path = join(rig.dir, name);
    await writeFile(path, content);
    return path;
  };

  test.each([0, 1, 1000, 48 * 1024, 48 * 1024 + 1, 3_000_000])('write %i bytes of anything', async (size) => {
    const content = randomBytes(size);
    await machine.write('/srv/kx-test/bytes', content, { mode: '0640', owner: 'daemon:sys' });
    expect((await there('/srv/kx-test/bytes')).equals(content)).toBe(true);
    expect(await modeOf('/srv/kx-test/bytes')).toBe('640 1:3');
    expect(await list()).toEqual([]);
  });

  test('write text, to odd names, over files and links', async () => {
    for (const name of ["it's a name", '$(id)', 'two\nlines', '-n', '漢字', '*']) {
      await machine.write(`/srv/kx-test/${name}`, `text of ${name} \\n %s\n`);
      expect((await there(`/srv/kx-test/${name}`)).toString()).toBe(`text of ${name} \\n %s\n`);
      expect((await stat(host.path(`/srv/kx-test/${name}`))).mode & 0o7777).toBe(0o644);
    }
    await machine.write('/srv/kx-test/target', 'untouched');
    await symlink('target', host.path('/srv/kx-test/link'));
    await machine.write('/srv/kx-test/link', 'a file now');
    expect((await there('/srv/kx-test/target')).toString()).toBe('untouched');
    expect((await there('/srv/kx-test/link')).toString()).toBe('a file now');
  });

  test('what cannot be written says why, and leaves nothing', async () => {
    await expect(machine.write('/nowhere/at/all', 'x')).rejects.toMatchObject({
      code: 'KX3032',
      params: { path: '/nowhere/at/all' },
    });
    await expect(machine.write('/srv/kx-test', 'x')).rejects.toMatchObject({ code: 'KX3032' });
    await expect(machine.write('/srv/kx-test/a', 'x', { owner: 'no-such-user' })).rejects.toMatchObject({
      code: 'KX3032',
    });
    await expect(machine.write('/proc/a', randomBytes(100_000))).rejects.toMatchObject({ code: 'KX3032' });
    await expect(machine.write('/srv/kx-test/a', 'x', { sha256: 'ab' })).rejects.toMatchObject({ code: 'KX3033' });
    const big = randomBytes(100_000);
    await expect(machine.write('/srv/kx-test/a', big, { sha256: sha256(Buffer.from('other')) })).rejects.toMatchObject({
      code: 'KX3033',
    });
    expect(await list()).toEqual([]);
    await expect(stat(host.path('/srv/kx-test/a'))).rejects.toThrow();
  });

  test('put: small and big, with progress, mode and owner', async () => {
    for (const size of [100, 5_000_000]) {
      const content = randomBytes(size);
      const file = await localFile('source', content);
      const seen: [number, number | undefined][] = [];
      await machine.put(file, '/srv/kx-test/put', {
        mode: '0755',
        owner: '12:34',
        sha256: sha256(content),
        progress: (...at) => seen.push(at),
      });
      expect((await there('/srv/kx-test/put')).equals(content)).toBe(true);
      expect(await modeOf('/srv/kx-test/put')).toBe('755 12:34');
      expect(seen.at(-1)).toEqual([size, size]);
      expect(await list()).toEqual([]);
    }
  });

  test('put: a file that is there already is not sent, but gets its mode', async () => {
    const content = randomBytes(5_000_000);
    const file = await localFile('same', content);
    await machine.put(file, '/srv/kx-test/same');
    const before = await stat(host.path('/srv/kx-test/same'));
    const seen: number[] = [];
    await machine.put(file, '/srv/kx-test/same', { mode: '0600', progress: (done) => seen.push(done) });
    const after = await stat(host.path('/srv/kx-test/same'));
    expect([after.ino, after.mtimeMs, after.mode & 0o777]).toEqual([before.ino, before.mtimeMs, 0o600]);
    expect(seen).toEqual([5_000_000]);
  });

  test('put: goes on where a cut connection stopped it', async () => {
    const content = randomBytes(12_000_000);
    const file = await localFile('big', content);
    let cuts = 0;
    let lowest = Number.POSITIVE_INFINITY;
    await machine.put(file, '/srv/kx-test/big', {
      progress: (done) => {
        if (cuts > 0) lowest = Math.min(lowest, done);
        if (cuts < 2 && done > (cuts + 1) * 4_000_000) {
          cuts++;
          proxy.cut();
        }
      },
    });
    expect((await there('/srv/kx-test/big')).equals(content)).toBe(true);
    expect(cuts).toBe(2);
    expect(lowest).toBeGreaterThan(2_000_000);
    expect(await list()).toEqual([]);
  });

  test('put: continues what an earlier process left, unless that is something else', async () => {
    const content = randomBytes(6_000_000);
    const file = await localFile('later', content);
    const part = `/srv/kx-test/.later.${sha256(content).slice(0, 16)}.part`;
    await writeFile(host.path(part), content.subarray(0, 4_000_000));
    const first: number[] = [];
    await machine.put(file, '/srv/kx-test/later', { progress: (done) => first.push(done) });
    expect(first[0]).toBeGreaterThan(4_000_000);
    await host.exec('rm /srv/kx-test/later');
    await writeFile(host.path(part), randomBytes(4_000_000));
    const second: number[] = [];
    await machine.put(file, '/srv/kx-test/later', { progress: (done) => second.push(done) });
    expect(second[0]).toBeLessThan(4_000_000);
    expect((await there('/srv/kx-test/later')).equals(content)).toBe(true);
    expect(await list()).toEqual([]);
  });

  test('put: a file that is not what its digest says is not put in place', async () => {
    const file = await localFile('wrong', randomBytes(200_000));
    const want = sha256(Buffer.from('what was meant'));
    await machine.write('/srv/kx-test/wrong', 'old');
    await expect(machine.put(file, '/srv/kx-test/wrong', { sha256: want })).rejects.toMatchObject({
      code: 'KX3033',
      params: { want },
    });
    expect((await there('/srv/kx-test/wrong')).toString()).toBe('old');
    expect(await list()).toEqual([]);
  });

  test('put: a file that shrinks meanwhile, one that is missing, one that is a directory', async () => {
    const file = await localFile('shrinks', Buffer.alloc(30_000_000));
    const putting = machine.put(file, '/srv/kx-test/shrinks', {
      sha256: sha256(Buffer.from('x')),
      progress: () => void truncate(file, 1000),
    });
    await expect(putting).rejects.toMatchObject({ code: expect.stringMatching(/KX303[23]/) });
    await expect(machine.put('/nowhere', '/srv/kx-test/x')).rejects.toMatchObject({ code: 'KX3034' });
    await expect(machine.put(rig.dir, '/srv/kx-test/x')).rejects.toMatchObject({ code: 'KX3034' });
    await expect(machine.put(rig.key, '/srv/kx-test')).rejects.toMatchObject({ code: 'KX3032' });
  });

  test('put: can be given up', async () => {
    const file = await localFile('abort', Buffer.alloc(30_000_000));
    const abort = new AbortController();
    const putting = machine.put(file, '/srv/kx-test/abort', {
      signal: abort.signal,
      progress: () => abort.abort(new Error('enough')),
    });
    await expect(putting).rejects.toThrow('enough');
    expect((await machine.run(sh`echo free`)).stdout).toBe('free\n');
  });

  test('put: several at once, while the shell stays free', async () => {
    const contents = Array.from({ length: 12 }, () => randomBytes(500_000));
    const files = await Promise.all(contents.map((content, i) => localFile(`many${i}`, content)));
    const all = Promise.all(files.map((file, i) => machine.put(file, `/srv/kx-test/many${i}`)));
    expect((await machine.run(sh`echo free`)).stdout).toBe('free\n');
    await all;
    for (const [i, content] of contents.entries())
      expect((await there(`/srv/kx-test/many${i}`)).equals(content)).toBe(true);
  });

  test('get: atomic, private, checked', async () => {
    for (const size of [0, 100, 5_000_000]) {
      const content = randomBytes(size);
      await writeFile(host.path('/srv/kx-test/get'), content);
      const local = join(rig.dir, 'got');
      const seen: [number, number | undefined][] = [];
      await machine.get('/srv/kx-test/get', local, { sha256: sha256(content), progress: (...at) => seen.push(at) });
      expect((await readFile(local)).equals(content)).toBe(true);
      expect((await stat(local)).mode & 0o777).toBe(0o600);
      if (size > 0) expect(seen.at(-1)).toEqual([size, size]);
    }
    const before = await readFile(join(rig.dir, 'got'));
    await expect(machine.get('/srv/kx-test/get', join(rig.dir, 'got'), { sha256: 'ab' })).rejects.toMatchObject({
      code: 'KX3033',
    });
    await expect(machine.get('/nowhere', join(rig.dir, 'got'))).rejects.toMatchObject({
      code: 'KX3035',
      params: { reason: 'no such file' },
    });
    await expect(machine.get('/etc', join(rig.dir, 'got'))).rejects.toMatchObject({ code: 'KX3035' });
    await expect(machine.get('/etc/passwd', '/nowhere/x')).rejects.toMatchObject({ code: 'KX3034' });
    expect((await readFile(join(rig.dir, 'got'))).equals(before)).toBe(true);
    await machine.get('/etc/passwd', join(rig.dir, 'got'), { mode: '0644' });
    expect((await stat(join(rig.dir, 'got'))).mode & 0o777).toBe(0o644);
    expect((await readdir(rig.dir)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('get: across a cut', async () => {
    const content = randomBytes(8_000_000);
    await writeFile(host.path('/srv/kx-test/get'), content);
    let cut = false;
    await machine.get('/srv/kx-test/get', join(rig.dir, 'cut'), {
      progress: (done) => {
        if (cut || done < 2_000_000) return;
        cut = true;
        proxy.cut();
      },
    });
    expect(cut).toBe(true);
    expect((await readFile(join(rig.dir, 'cut'))).equals(content)).toBe(true);
  });

  test('through sudo and a terminal', async () => {
    await addUser(host, { name: 'term', password: 'secret', sudo: 'tty', publicKey: `${rig.key}.pub` });
    const other = await connectMachine(host.target({ user: 'term' }), { sudoPassword: 'secret' });
    const content = randomBytes(3_000_000);
    const file = await localFile('tty', content);
    await other.put(file, '/srv/kx-test/tty', { mode: '0600' });
    expect((await there('/srv/kx-test/tty')).equals(content)).toBe(true);
    await other.get('/srv/kx-test/tty', join(rig.dir, 'from-tty'));
    expect((await readFile(join(rig.dir, 'from-tty'))).equals(content)).toBe(true);
    await other.close();
  });

  test('partial files are private', async () => {
    const file = await localFile('private', randomBytes(10_000_000));
    await chmod(file, 0o644);
    const putting = machine.put(file, '/srv/kx-test/private', { mode: '0644' });
    const modes = new Set<string>();
    let done = false;
    void putting.then(() => {
      done = true;
    });
    while (!done) {
      for (const name of await list())
        await stat(host.path(`/srv/kx-test/${name}`)).then(
          ({ mode }) => modes.add((mode & 0o777).toString(8)),
          () => undefined,
        );
      await sleep(1);
    }
    expect(modes).toContain('600');
    expect([...modes].filter((mode) => mode !== '600' && mode !== '644')).toEqual([]);
  });
});
