import { join } from 'node:path';
import type { SupplyIo } from '../../cache/types.ts';
import { askingEnv, type GoSettings, SETTINGS } from './environment.ts';
import { compareGo, OLDEST_SWITCHING, plainGo } from './go-version.ts';
import { run } from './run.ts';

/** A Go that can build. */
export interface Go {
  /** Its command. */
  readonly command: string;
  readonly version: string;
  readonly settings: GoSettings;
}

/** Asks a Go for its version and for what the user set up. Unset: there is none, or it is too old to bring a newer one. */
export async function askGo(
  command: string,
  directory: string,
  io: Pick<SupplyIo, 'env' | 'signal'>,
): Promise<Go | undefined> {
  const args = ['env', '-json', 'GOVERSION', 'GOFLAGS', ...SETTINGS];
  const ended = await run(command, args, { cwd: directory, env: askingEnv(io.env), signal: io.signal });
  if (ended.code !== 0) return undefined;
  const { GOVERSION = '', ...settings } = JSON.parse(ended.stdout) as Record<string, string>;
  // A Go between releases has all that the release before it had.
  const version = plainGo(GOVERSION.replace(/^devel /, ''));
  if (version === undefined || compareGo(version, OLDEST_SWITCHING) < 0) return undefined;
  return { command, version, settings };
}

/** The same Go with caches below a directory of ours, where it does not know where its own are, or must not make any. */
export function withCaches(go: Go, directory: string, own: boolean, env: SupplyIo['env']): Go {
  const place = (name: string, below: string): string => {
    const known = own ? env[name] : go.settings[name];
    return known === undefined || known === '' || known === 'off' ? join(directory, below) : known;
  };
  const caches = {
    GOCACHE: place('GOCACHE', 'build'),
    GOMODCACHE: place('GOMODCACHE', 'mod'),
    // What the checksum database said last lies there.
    GOPATH: place('GOPATH', 'path'),
  };
  return { ...go, settings: { ...go.settings, ...caches } };
}
