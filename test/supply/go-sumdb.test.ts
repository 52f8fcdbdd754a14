import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOf } from '../../src/artifacts/sources/go/fetch-toolchain.ts';
import { lookUp } from '../../src/artifacts/sources/go/sumdb/lookup.ts';
import { openNote, parseKey } from '../../src/artifacts/sources/go/sumdb/note.ts';
import { parseTree, tilePath } from '../../src/artifacts/sources/go/sumdb/tree.ts';

const MODULE = 'github.com/containernetworking/plugins';
const VERSION = 'v1.9.1';
const LOOKUP = `lookup/${MODULE}@${VERSION}`;

let files: Map<string, Buffer>;
beforeAll(async () => {
  const recorded = JSON.parse(await readFile(new URL('go-sumdb.json', import.meta.url), 'utf8')) as {
    readonly files: Readonly<Record<string, string>>;
  };
  files = new Map(Object.entries(recorded.files).map(([path, text]) => [path, Buffer.from(text, 'base64')]));
});

const verifier = databaseOf(undefined)!.verifier;

/** What is believed when one file is another one. */
function ask(path = '', change: (file: Buffer) => Buffer | undefined = (file) => file) {
  return lookUp(MODULE, VERSION, verifier, async (wanted) => {
    const file = files.get(wanted);
    return wanted === path && file !== undefined ? change(file) : file;
  });
}

const flipped = (at: number) => (file: Buffer) => {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

describe('the checksum database', () => {
  it('is believed when its answer is signed and in its tree', async () => {
    expect(await ask()).toEqual({ hash: 'h1:8oU6WsIsU3bpnNZuvHp74a6cE1MJwbj2P7s4/yTUNlA=' });
  });

  it('is not believed when a record was changed', async () => {
    const other = (file: Buffer) => Buffer.from(file.toString().replace('h1:8oU6', 'h1:9oU6'));
    expect(await ask(LOOKUP, other)).toEqual({ refused: 'the answer is not in the tree that sum.golang.org signed' });
  });

  it('is not believed when the tree is another one than was signed', async () => {
    const bigger = (file: Buffer) =>
      Buffer.from(file.toString().replace(/(tree\n)(\d+)/, (_, a, n) => `${a}${Number(n) + 1}`));
    expect(await ask(LOOKUP, bigger)).toEqual({ refused: 'sum.golang.org did not sign the answer' });
  });

  it('is not believed without a signature, with a cut one, with that of somebody else', async () => {
    const refused = { refused: 'sum.golang.org did not sign the answer' };
    for (const change of [
      (text: string) => text.replace(/\u2014.*\n/, ''),
      (text: string) => text.replace(/.{8}\n$/, '\n'),
      (text: string) => text.replace('\u2014 sum.golang.org', '\u2014 sum.example.org'),
      () => 'no answer at all',
    ]) {
      expect(await ask(LOOKUP, (file) => Buffer.from(change(file.toString())))).toEqual(refused);
    }
  });

  it('is not believed when a record of that number is claimed to be elsewhere', async () => {
    const moved = (file: Buffer) => Buffer.from(file.toString().replace(/^\d+/, (n) => String(Number(n) + 1)));
    await expect(ask(LOOKUP, moved)).resolves.toHaveProperty('refused');
    const beyond = (file: Buffer) => Buffer.from(file.toString().replace(/^\d+/, '99999999999'));
    await expect(ask(LOOKUP, beyond)).resolves.toHaveProperty('refused');
  });

  it('notices a changed byte in every tile', async () => {
    const tiles = [...files.keys()].filter((path) => path.startsWith('tile/'));
    expect(tiles.length).toBeGreaterThan(4);
    for (const path of tiles)
      expect([path, await ask(path, flipped(31))]).toEqual([
        path,
        expect.objectContaining({ refused: expect.any(String) }),
      ]);
  });

  it('is taken for unreadable when a tile is too short or missing', async () => {
    const path = 'tile/8/3/000.p/3';
    await expect(ask(path, (file) => file.subarray(0, 40))).rejects.toThrow('too short');
    await expect(ask(path, () => undefined)).rejects.toThrow('is missing');
  });

  it('takes the full tile where a part of it is no longer kept', async () => {
    const path = 'tile/8/3/000.p/3';
    const full = files.get(path)!;
    const answer = await lookUp(MODULE, VERSION, verifier, async (wanted) => {
      if (wanted === path) return undefined;
      return wanted === 'tile/8/3/000' ? Buffer.concat([full, Buffer.alloc(253 * 32, 7)]) : files.get(wanted);
    });
    expect(answer).toHaveProperty('hash');
  });

  it('says so when it does not know a module, or talks about another', async () => {
    expect(await lookUp(MODULE, 'v9.9.9', verifier, async (path) => files.get(path))).toEqual({ absent: true });
    const other = await lookUp('github.com/other/module', VERSION, verifier, async (path) =>
      files.get(path.startsWith('lookup/') ? LOOKUP : path),
    );
    expect(other).toEqual({ refused: 'the answer is about something else' });
  });

  it('is asked for capitals in its own way', async () => {
    const asked: string[] = [];
    await lookUp('github.com/Mirantis/cri-dockerd', 'v0.4.0', verifier, async (path) => {
      asked.push(path);
      return undefined;
    });
    expect(asked).toEqual(['lookup/github.com/!mirantis/cri-dockerd@v0.4.0']);
  });
});

describe('its parts', () => {
  it('reads keys only when they are whole', () => {
    const key = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';
    expect(parseKey(key)?.name).toBe('sum.golang.org');
    for (const bad of [
      '',
      'sum.golang.org',
      key.replace('033de0ae', '033de0af'),
      key.slice(0, -4),
      key.replace('+Ac', '+Bc'),
    ]) {
      expect([bad, parseKey(bad)]).toEqual([bad, undefined]);
    }
  });

  it('opens a note only with its key', () => {
    const note = files.get(LOOKUP)!.toString().split('\n\n').slice(1).join('\n\n');
    expect(parseTree(openNote(note, verifier)!)?.size).toBe(66385784);
    expect(openNote(note, { ...verifier, name: 'other' })).toBeUndefined();
    expect(openNote('text without signatures\n', verifier)).toBeUndefined();
  });

  it.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/8/0/000'],
    [{ level: 1, index: 1234067, width: 256 }, 'tile/8/1/x001/x234/067'],
    [{ level: 2, index: 999, width: 3 }, 'tile/8/2/999.p/3'],
    [{ level: 0, index: 1000, width: 1 }, 'tile/8/0/x001/000.p/1'],
  ])('finds a tile at %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
  });

  it.each([
    [undefined, 'sum.golang.org', 'https://sum.golang.org'],
    ['sum.golang.google.cn', 'sum.golang.org', 'https://sum.golang.google.cn'],
    ['sum.golang.org https://mirror.example.org/sums/', 'sum.golang.org', 'https://mirror.example.org/sums'],
    ['off', undefined, undefined],
    ['sum.example.org', undefined, undefined],
  ])('GOSUMDB=%s is %s at %s', (text, name, url) => {
    const found = databaseOf(text);
    expect([found?.verifier.name, found?.url]).toEqual([name, url]);
  });
});
