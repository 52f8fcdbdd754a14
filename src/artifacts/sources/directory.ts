import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from '../cache/types.ts';
import { INDEX, INDEX_MAX } from './disk/index-file.ts';
import { diskSource } from './disk/source.ts';
import { ArchiveProblem } from './tar/header.ts';

/** A directory with an `index.json` and blobs: a bundle that somebody has unpacked. */
export function directory({ path }: { readonly path: string }): Source {
  return diskSource({
    name: `directory ${path}`,
    path,
    index: async () => {
      const file = join(path, INDEX);
      if ((await stat(file)).size > INDEX_MAX) throw new ArchiveProblem(`its ${INDEX} is too long`);
      return await readFile(file, 'utf8');
    },
    sizeOf: (blob) =>
      stat(join(path, blob)).then(
        (found) => (found.isFile() ? found.size : undefined),
        () => undefined,
      ),
    read: (blob, start) => createReadStream(join(path, blob), { start, highWaterMark: 1 << 20 }),
  });
}
