import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a directory, also while others change it: what goes meanwhile, or was never there, is not among them. */
export function filesBelow(dir: string): readonly string[] {
  return entriesOf(dir).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function entriesOf(dir: string): readonly Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
