import { join } from 'node:path';
import { kubexmError } from '../../../model/errors/index.ts';
import type { SupplyIo } from '../../cache/types.ts';
import { fetchedVersion, fetchToolchain } from './fetch-toolchain.ts';
import { askGo, type Go, withCaches } from './installed.ts';

/** The Go that builds: the installed one, else one from the module proxy, which is kept in the cache. */
export async function findGo(what: string, directory: string, cacheDir: string, io: SupplyIo): Promise<Go> {
  const ours = join(cacheDir, 'go');
  const installed = await askGo('go', directory, io);
  if (installed !== undefined) return withCaches(installed, ours, false, io.env);
  const root = await fetchToolchain(what, cacheDir, io);
  const fetched = await askGo(join(root, 'bin', 'go'), directory, io);
  if (fetched !== undefined) return withCaches(fetched, ours, true, io.env);
  throw kubexmError('KX7039', { what, reason: `the one in ${root} does not start`, version: fetchedVersion() });
}
