import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { crc32, deflateRawSync } from 'node:zlib';

/** A checksum database of one record, with a key of its own. */
export class FakeSumdb {
  readonly name = 'sums.example.org';
  /** As GOSUMDB names it. */
  readonly key: string;
  private readonly pair = generateKeyPairSync('ed25519');
  private readonly hash: Buffer;

  constructor() {
    const raw = this.pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const bytes = Buffer.concat([Buffer.from([1]), raw]);
    this.hash = createHash('sha256').update(`${this.name}\n`).update(bytes).digest().subarray(0, 4);
    this.key = `${this.name}+${this.hash.toString('hex')}+${bytes.toString('base64')}`;
  }

  /** The answer to a lookup of the only record. */
  answer(record: string, signedRecord = record): string {
    return this.signed(0, record, 1, leaf(signedRecord));
  }

  /** All that a database of these records says, below its address: `golang.org/x@v1.0.0` and what go.sum would hold. */
  files(records: Readonly<Record<string, string>>): Record<string, Said> {
    const leaves = Object.values(records).map(leaf);
    const root = rootOf(leaves);
    const lookups = Object.entries(records).map(([module, record], at): [string, Said] => [
      `/sumdb/${this.name}/lookup/${module}`,
      this.signed(at, record, leaves.length, root),
    ]);
    const tile = `/sumdb/${this.name}/tile/8/0/000.p/${leaves.length}`;
    return { ...Object.fromEntries(lookups), [`/sumdb/${this.name}/supported`]: '', [tile]: Buffer.concat(leaves) };
  }

  private signed(number: number, record: string, size: number, root: Buffer): string {
    const text = `go.sum database tree\n${size}\n${root.toString('base64')}\n`;
    const signature = Buffer.concat([this.hash, sign(null, Buffer.from(text), this.pair.privateKey)]);
    return `${number}\n${record}\n${text}\n\u2014 ${this.name} ${signature.toString('base64')}\n`;
  }
}

function leaf(record: string): Buffer {
  return createHash('sha256')
    .update(Buffer.from([0]))
    .update(record)
    .digest();
}

function rootOf(hashes: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = hashes;
  if (hashes.length <= 1) return first;
  let half = 1;
  while (half * 2 < hashes.length) half *= 2;
  const both = [rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half))];
  return createHash('sha256')
    .update(Buffer.concat([Buffer.from([1]), ...both]))
    .digest();
}

/** A module with its files; go.mod is one of them. */
export interface FakeModule {
  readonly path: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
}

/** What a proxy says about modules, and what the checksum database knows of them. */
export function published(modules: readonly FakeModule[]): {
  said: Record<string, Said>;
  records: Record<string, string>;
} {
  const said: Record<string, Said> = {};
  const records: Record<string, string> = {};
  for (const { path, version, files } of modules) {
    const name = `${path}@${version}`;
    const inside = Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]));
    const mod = files['go.mod'] ?? '';
    const base = `/${path}/@v/${version}`;
    said[`${base}.info`] = JSON.stringify({ Version: version, Time: '2024-01-01T00:00:00Z' });
    said[`${base}.mod`] = mod;
    said[`${base}.zip`] = zipOf(inside);
    records[name] = `${path} ${version} ${h1(inside)}\n${path} ${version}/go.mod ${h1({ 'go.mod': mod })}\n`;
  }
  return { said, records };
}

/** A zip of small files. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const table: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [title, content] = [Buffer.from(name), Buffer.from(text)];
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(title.length, 22);
    parts.push(Buffer.from('504b0304', 'hex'), common, title, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    table.push(Buffer.from('504b01021400', 'hex'), common, rest, title);
    offset += 30 + title.length + packed.length;
  }
  const listed = Buffer.concat(table);
  const end = Buffer.alloc(22);
  end.set(Buffer.from('504b0506', 'hex'));
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** The h1 of files, as go.sum has it: written down here again, so that the code is not tested against itself. */
export function h1(files: Readonly<Record<string, string>>): string {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const lines = Object.keys(files)
    .sort()
    .map((name) => `${digest(files[name] ?? '')}  ${name}\n`);
  return `h1:${createHash('sha256').update(lines.join('')).digest('base64')}`;
}

/** What a server says to a path: a body, a status, or nothing at all. */
export type Said = string | Buffer | number | 'SILENCE';

/** A server on loopback that answers from a table, and notes what it was asked. */
export async function serve(
  answers: Readonly<Record<string, Said>>,
): Promise<{ url: string; asked: string[]; server: Server }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const said = answers[path] ?? 404;
    if (said === 'SILENCE') return;
    if (typeof said === 'number') response.writeHead(said).end();
    else response.writeHead(200, { 'content-length': Buffer.byteLength(said) }).end(said);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, asked, server };
}
