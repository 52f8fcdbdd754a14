import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { runs, seed } from '../../../../test/rig/thorough.ts';
import { type TarEntry, tar } from './tar.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-tar-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const file = (path: string, data: Uint8Array, mode = 0o644): TarEntry => ({
  path,
  mode,
  content: {
    kind: 'file',
    size: data.length,
    async *read() {
      yield data;
    },
  },
});
const directory = (path: string): TarEntry => ({ path, mode: 0o755, content: { kind: 'directory' } });
const link = (path: string, target: string): TarEntry => ({ path, mode: 0o777, content: { kind: 'link', target } });

async function packed(entries: readonly TarEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function gnuTar(args: readonly string[], input?: Buffer): string {
  const env = { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const { status, stdout, stderr } = spawnSync('tar', args, { input, env, maxBuffer: 1 << 28 });
  expect(stderr.toString()).toBe('');
  expect(status).toBe(0);
  return stdout.toString();
}

test('tar lists what was written, in order, with fixed owner and time', async () => {
  const archive = await packed([
    file('usr/local/bin/tool', Buffer.alloc(1300, 1), 0o755),
    file('etc/passwd', Buffer.from('root:x:0:0::/root:/bin/sh\n')),
    link('bin', 'usr/bin'),
    directory('etc'),
    file('tmp/su', Buffer.alloc(0), 0o4755),
  ]);
  expect(archive.length % 512).toBe(0);
  expect(
    gnuTar(['--numeric-owner', '-tvf', '-'], archive)
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ +/g, ' ')),
  ).toEqual([
    'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin -> usr/bin',
    'drwxr-xr-x 0/0 0 1970-01-01 00:00 etc/',
    '-rw-r--r-- 0/0 26 1970-01-01 00:00 etc/passwd',
    '-rwsr-xr-x 0/0 0 1970-01-01 00:00 tmp/su',
    '-rwxr-xr-x 0/0 1300 1970-01-01 00:00 usr/local/bin/tool',
  ]);
});

test('a file that is not as long as it was is refused', async () => {
  for (const said of [3, 5]) {
    const entry: TarEntry = { ...file('f', Buffer.alloc(4)), content: { kind: 'file', size: said, read: reader } };
    await expect(packed([entry])).rejects.toMatchObject({ code: 'KX7123' });
  }
  async function* reader() {
    yield Buffer.alloc(4);
  }
});

const segment = fc.oneof(
  fc.stringMatching(/^[a-z0-9._ +-]{1,20}$/).filter((name) => !/^\.+$/.test(name)),
  fc.constantFrom('节点', 'é', 'a'.repeat(98), 'b'.repeat(101), 'ü'.repeat(60), "it's", '-rf', '"quoted"', 'new\nline'),
);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const content = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom(511, 512, 513, 1024).map((length) => new Uint8Array(length).fill(7)),
);

test('whatever the names and contents: unpacked by tar they are the same', { timeout: 120_000 }, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.dictionary(path, content, { minKeys: 1, maxKeys: 6 }), path, async (contents, target) => {
      // Nothing lies below a file.
      const names = Object.keys(contents).filter((a, _, all) => !all.some((b) => b !== a && a.startsWith(`${b}/`)));
      const entries = names.map((name) => file(name, Buffer.from(contents[name] ?? []), 0o640));
      const archive = await packed([...entries, link('zz-link', target)]);
      expect(await packed([link('zz-link', target), ...entries.toReversed()])).toEqual(archive);
      const dir = join(base, String(run++));
      mkdirSync(dir);
      writeFileSync(`${dir}.tar`, archive);
      gnuTar(['-xf', `${dir}.tar`, '-C', dir]);
      for (const name of names) expect(readFileSync(join(dir, name))).toEqual(Buffer.from(contents[name] ?? []));
      const listed = gnuTar(['--null', '--quoting-style=literal', '--show-transformed', '-tvf', `${dir}.tar`]);
      expect(listed).toContain(`zz-link -> ${target}`);
      expect(
        gnuTar(['-tf', `${dir}.tar`])
          .trimEnd()
          .split('\n'),
      ).toHaveLength(names.length + 1);
      rmSync(dir, { recursive: true });
    }),
    { seed, numRuns: runs(40) },
  );
});
