import { createHash } from 'node:crypto';

/** The state of a checksum database at some time: how many records it has, and the hash over all of them. */
export interface Tree {
  readonly size: number;
  readonly hash: Buffer;
}

/** Hashes are stored in tiles of 2^8. */
const HEIGHT = 8;
const WIDTH = 2 ** HEIGHT;
const HASH = 32;

/** One file of hashes. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  /** Fewer than 256 only in the last tile of a level. */
  readonly width: number;
}

/** Gets the hashes of a tile; nobody has to trust them. */
export type ReadTile = (tile: Tile) => Promise<Buffer>;

/** Where a tile lies below a database's address: `tile/8/0/x001/234`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.../g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${HEIGHT}/${level}/${path}${width < WIDTH ? `.p/${width}` : ''}`;
}

/** Reads the text of a tree's signed note. */
export function parseTree(text: string): Tree | undefined {
  const [, size = '', hash = ''] = /^go\.sum database tree\n(\d+)\n([A-Za-z0-9+/=]+)\n/.exec(text) ?? [];
  const bytes = Buffer.from(hash, 'base64');
  return bytes.length === HASH && Number.isSafeInteger(Number(size)) ? { size: Number(size), hash: bytes } : undefined;
}

/** Whether the tree holds this text as its record of that number: its hash is computed with it, and must be the signed one. */
export async function hasRecord(tree: Tree, number: number, text: string, read: ReadTile): Promise<boolean> {
  if (!Number.isSafeInteger(number) || number < 0 || number >= tree.size) return false;
  const own = createHash('sha256')
    .update(Buffer.from([0]))
    .update(text)
    .digest();
  const hashes = new Hashes(tree.size, read);
  const over = async (from: number, to: number): Promise<Buffer> => {
    const count = to - from;
    if (count === 1 && from === number) return own;
    const elsewhere = number < from || number >= to;
    if (elsewhere && Number.isInteger(Math.log2(count))) return hashes.over(Math.log2(count), from / count);
    const half = 2 ** Math.ceil(Math.log2(count) - 1);
    return joined(await over(from, from + half), await over(from + half, to));
  };
  return (await over(0, tree.size)).equals(tree.hash);
}

/** Hashes over 2^level records each, from the tiles of a tree. */
class Hashes {
  private readonly size: number;
  private readonly read: ReadTile;
  private readonly tiles = new Map<string, Promise<Buffer>>();

  constructor(size: number, read: ReadTile) {
    this.size = size;
    this.read = read;
  }

  async over(level: number, index: number): Promise<Buffer> {
    const tileLevel = Math.floor(level / HEIGHT);
    const count = 2 ** (level % HEIGHT);
    const first = index * count;
    const tile = await this.tile(tileLevel, Math.floor(first / WIDTH));
    const at = (first % WIDTH) * HASH;
    return folded(tile.subarray(at, at + count * HASH));
  }

  private tile(level: number, index: number): Promise<Buffer> {
    const width = Math.min(WIDTH, Math.floor(this.size / WIDTH ** level) - index * WIDTH);
    const name = tilePath({ level, index, width });
    const known = this.tiles.get(name) ?? this.checked({ level, index, width });
    this.tiles.set(name, known);
    return known;
  }

  private async checked(tile: Tile): Promise<Buffer> {
    const hashes = await this.read(tile);
    if (hashes.length < tile.width * HASH) throw new Error(`${tilePath(tile)} is too short`);
    return hashes;
  }
}

function folded(hashes: Buffer): Buffer {
  if (hashes.length <= HASH) return hashes;
  const half = hashes.length / 2;
  return joined(folded(hashes.subarray(0, half)), folded(hashes.subarray(half)));
}

function joined(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.from([1]))
    .update(left)
    .update(right)
    .digest();
}
