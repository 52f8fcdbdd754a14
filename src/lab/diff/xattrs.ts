import { spawn } from 'node:child_process';
import { kubexmError } from '../../model/errors/index.ts';

/** Extended attributes by the path they were asked for. */
export type Attributes = ReadonlyMap<string, Readonly<Record<string, string>>>;

const OPTIONS = ['-h', '-P', '-d', '-m', '-', '-e', 'hex', '--absolute-names'];
// A living machine's files come and go, and some file systems have no attributes: both is no failure.
const HARMLESS = /: (?:No such file or directory|Operation not supported|No data available)$/;

/** The attributes of everything in a directory. */
export async function attributesBelow(dir: string): Promise<Attributes> {
  return parseAttributes(await getfattr(['-R', ...OPTIONS, '--', dir]));
}

/** The attributes of some files. */
export async function attributesOf(paths: readonly string[]): Promise<Attributes> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  // A command line has an end: a few hundred paths at a time.
  for (let i = 0; i < paths.length; i += 400) {
    const some = parseAttributes(await getfattr([...OPTIONS, '--', ...paths.slice(i, i + 400)]));
    for (const [path, attributes] of some) found.set(path, attributes);
  }
  return found;
}

/** Reads what getfattr prints: a line with the file, a line per attribute, an empty line. */
export function parseAttributes(text: string): Attributes {
  const all = new Map<string, Record<string, string>>();
  let current: Record<string, string> | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('# file: ')) {
      current = {};
      all.set(unescaped(line.slice('# file: '.length)), current);
    } else if (current !== undefined && line !== '') {
      const at = line.indexOf('=');
      const name = unescaped(at < 0 ? line : line.slice(0, at));
      current[name] = at < 0 ? '0x' : line.slice(at + 1) || '0x';
    }
  }
  return all;
}

// Line ends, backslashes and the like stand as `\012`, byte by byte.
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8) & 0xff),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}

async function getfattr(args: readonly string[]): Promise<string> {
  const child = spawn('getfattr', args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LC_ALL: 'C' } });
  const chunks: Buffer[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-100_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT';
      reject(missing ? kubexmError('KX6610', { tool: 'getfattr', package: 'attr' }, { cause: error }) : error);
    });
    child.once('close', resolve);
  });
  const bad = errors.split('\n').filter((line) => line !== '' && !HARMLESS.test(line));
  if (code !== 0 && bad.length > 0) {
    throw kubexmError('KX6611', { what: 'getfattr', reason: bad[0] ?? '' }, { detail: bad.slice(0, 10).join('\n') });
  }
  return Buffer.concat(chunks).toString('utf8');
}
