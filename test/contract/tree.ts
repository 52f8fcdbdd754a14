import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a directory, as one text per name: type, mode, owner, content. Names that are not UTF-8 survive. */
export function snapshot(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  walk(Buffer.from(root), '', found);
  return found;
}

function walk(dir: Buffer, prefix: string, found: Record<string, string>): void {
  for (const name of readdirSync(dir, { encoding: 'buffer' }).sort(Buffer.compare)) {
    const path = Buffer.concat([dir, Buffer.from('/'), name]);
    const shown = join(prefix, name.toString('latin1'));
    const stat = lstatSync(path);
    const owner = `${(stat.mode & 0o7777).toString(8)} ${stat.uid}:${stat.gid}`;
    if (stat.isSymbolicLink()) found[shown] = `link ${stat.uid}:${stat.gid} ${readlinkSync(path)}`;
    else if (stat.isDirectory()) {
      found[shown] = `directory ${owner}`;
      walk(path, shown, found);
    } else if (stat.isFile()) {
      found[shown] = `file ${owner} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    } else found[shown] = `other ${owner}`;
  }
}
