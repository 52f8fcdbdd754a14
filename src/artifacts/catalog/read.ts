import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalog } from '../../model/catalog/schema.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { type CatalogText, DIGESTS_FILE, parseCatalog } from './parse.ts';

const DIRECTORY = join('data', 'catalog');

let own: { readonly directory: string; readonly catalog: Promise<Catalog> } | undefined;

/** Reads the catalog that kubexm uses, once in a process, or one elsewhere. */
export async function readCatalog(directory?: string): Promise<Catalog> {
  if (directory !== undefined) return parseCatalog(await readCatalogTexts(directory));
  const usual = catalogDirectory();
  if (own?.directory !== usual) {
    const catalog = readCatalog(usual).catch((error: unknown) => {
      own = undefined;
      throw error;
    });
    own = { directory: usual, catalog };
  }
  return await own.catalog;
}

/** The files of a catalog as they are. */
export async function readCatalogTexts(directory: string): Promise<CatalogText[]> {
  try {
    const files = (await readdir(directory)).filter((file) => file.endsWith('.yaml') || file === DIGESTS_FILE);
    if (files.length === 0) throw new Error('there are no files');
    return await Promise.all(
      files.map(async (file) => ({ file, text: await readFile(join(directory, file), 'utf8') })),
    );
  } catch (error) {
    throw kubexmError('KX7002', { place: directory, reason: (error as Error).message }, { cause: error });
  }
}

/** KUBEXM_CATALOG, else it lies in `data` of the package, whether this runs from the sources or from a bundle. */
export function catalogDirectory(): string {
  const named = process.env['KUBEXM_CATALOG'];
  if (named !== undefined && named !== '') return named;
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, DIRECTORY))) return join(dir, DIRECTORY);
  }
  return DIRECTORY;
}
