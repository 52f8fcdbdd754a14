import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gzip } from './gzip.ts';

const data = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * i) % 97));

async function packed(pieces: readonly Buffer[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of gzip(
    (async function* () {
      yield* pieces;
    })(),
  )) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

test('unpacks to what it was, and says neither when nor where it was packed', async () => {
  const one = await packed([data]);
  expect(gunzipSync(one)).toEqual(data);
  expect(one.subarray(0, 10)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]));
  expect(gunzipSync(await packed([]))).toEqual(Buffer.alloc(0));
});

test('how the source is cut makes no difference', async () => {
  const cut = Array.from({ length: 400 }, (_, i) => data.subarray(i * 3750, (i + 1) * 3750));
  expect((await packed(cut)).equals(await packed([data]))).toBe(true);
});

test('a source that fails is the failure', async () => {
  const broken = gzip(
    (async function* () {
      for (let i = 0; i < 10; i++) yield data;
      throw new Error('the disk is gone');
    })(),
  );
  const read = async () => {
    for await (const _ of broken);
  };
  await expect(read()).rejects.toThrow('the disk is gone');
});
