import { pipeline } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';

/** No name, no time, no operating system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const PIECE = 256 * 1024;

/**
 * Packs a stream. The frame is our own, so that it says nothing about when and where it was made. The packed bytes are those of
 * this Node's zlib: another version of it may pack otherwise. What must be equal everywhere is the digest of the unpacked bytes.
 */
export async function* gzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflate = createDeflateRaw({ level: constants.Z_DEFAULT_COMPRESSION, chunkSize: PIECE });
  let sum = 0;
  let size = 0;
  const counted = async function* () {
    for await (const piece of pieces(source)) {
      sum = crc32(piece, sum);
      size += piece.length;
      yield piece;
    }
  };
  yield HEADER;
  // A failure of the source ends the packer with it, and so reaches the reader.
  yield* pipeline(counted(), deflate, () => undefined) as AsyncIterable<Uint8Array>;
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sum >>> 0, 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  yield trailer;
}

/** The same bytes in pieces of one size: how a source happens to be cut must not reach the packer. */
async function* pieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    kept.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE) continue;
    const joined = Buffer.concat(kept, bytes);
    let at = 0;
    for (; at + PIECE <= joined.length; at += PIECE) yield joined.subarray(at, at + PIECE);
    kept = [joined.subarray(at)];
    bytes = joined.length - at;
  }
  if (bytes > 0) yield Buffer.concat(kept, bytes);
}
