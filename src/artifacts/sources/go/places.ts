import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { GoModule } from '../../../model/catalog/need.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where go keeps what it compiled and what it downloaded, unless `go env -w` says otherwise. */
export function goPlaces(env: Env): { readonly build: string; readonly modules: string } {
  const home = env['HOME'] || homedir();
  const [path = ''] = (env['GOPATH'] || join(home, 'go')).split(':');
  return {
    build: env['GOCACHE'] || join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'go-build'),
    modules: env['GOMODCACHE'] || join(path, 'pkg', 'mod'),
  };
}

/** Whether a module was downloaded before: then most of what it requires was too, and was compiled. */
export async function isDownloaded({ path, version }: GoModule, env: Env): Promise<boolean> {
  // On disk capitals are written as go writes them, for file systems that do not tell them apart.
  const escaped = path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
  const file = join(goPlaces(env).modules, 'cache', 'download', escaped, '@v', `${version}.zip`);
  return await access(file).then(
    () => true,
    () => false,
  );
}
