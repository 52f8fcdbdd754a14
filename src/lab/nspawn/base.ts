import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { LabImage, LabPlaces, LabProgress } from '../types.ts';
import { includeAptConfig, type WithAptConfig, withAptConfig } from './apt-config.ts';
import { takeLock } from './lock.ts';
import { CODENAMES, type Recipe, recipe } from './recipe.ts';
import { must, run } from './run.ts';
import { type AptSource, readSources, sourcesFor } from './sources.ts';

/** An image, ready to be the lower directory of machines. */
export interface Base {
  readonly dir: string;
  /** What it was made from, and what machines get packages from. */
  readonly sources: readonly AptSource[];
}

const APT_DIR = '/etc/apt';

/** Finds the image in the cache, or makes it: under another name until it is whole, and only one maker at a time. */
export async function ensureBase(
  places: LabPlaces,
  image: LabImage,
  options: { readonly report: (event: LabProgress) => void; readonly signal?: AbortSignal },
): Promise<Base> {
  const sources = sourcesFor(readSources(APT_DIR), CODENAMES[image]);
  if (sources.length === 0) throw kubexmError('KX6007', { image });
  const how = recipe(image, sources);
  const dir = join(places.cache, `${image}-${how.digest}`);
  if (existsSync(dir)) return { dir, sources };
  mkdirSync(places.cache, { recursive: true, mode: 0o700 });
  const lock = await takeLock(join(places.cache, `.${image}-${how.digest}.lock`), {
    ...(options.signal && { signal: options.signal }),
    onWait: () => options.report({ type: 'waiting', for: 'base' }),
  });
  try {
    // The previous holder of the lock may have made it.
    if (existsSync(dir)) return { dir, sources };
    options.report({ type: 'base', state: 'building', image });
    await removeUnfinished(places.cache, `${image}-${how.digest}`);
    const making = `${dir}.${process.pid}.part`;
    const onLine = (line: string): void => options.report({ type: 'base', state: 'building', image, line });
    const { command, input } = buildCommand(how, making, await aptOptions());
    await must('setpriv', command, {
      input,
      lock: lock.fd,
      onLine,
      ...(options.signal && { signal: options.signal }),
    })
      .catch((error: unknown) => failed(image, error, options.signal))
      .finally(() => rmSync(aptDir(making), { recursive: true, force: true }));
    renameSync(making, dir);
    options.report({ type: 'base', state: 'ready', image });
    return { dir, sources };
  } finally {
    lock.release({ removeFile: true });
  }
}

/** Makes the image in a world of its own that ends with this process: a killed kubexm leaves no builder behind. */
function buildCommand(how: Recipe, making: string, settings: readonly string[]): WithAptConfig {
  const dir = aptDir(making);
  mkdirSync(dir, { mode: 0o700 });
  const build = ['mmdebstrap', ...how.args, `--aptopt=${includeAptConfig(dir)}`, CODENAMES[how.image], making, '-'];
  const { command, input } = withAptConfig(dir, settings, build, how.input);
  const alone = ['--pdeathsig', 'KILL', 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  return { command: [...alone, ...command], input };
}

/** Removed with what else a killed maker leaves; nothing is in it but for the maker itself. */
function aptDir(making: string): string {
  return making.replace(/part$/, 'apt.part');
}

/** What this box tells apt about proxies and the like: a new root does not know it. */
async function aptOptions(): Promise<readonly string[]> {
  const { stdout } = await run('apt-config', ['dump']);
  return stdout
    .split('\n')
    .filter((line) => /^Acquire::(https?|ftp|socks|Retries|ForceIPv[46])\b.* "[^"]+";$/.test(line));
}

function failed(image: LabImage, error: unknown, signal: AbortSignal | undefined): never {
  if (signal?.aborted || !(error instanceof Error)) throw error;
  const detail = 'detail' in error && typeof error.detail === 'string' ? { detail: error.detail } : {};
  throw kubexmError('KX6008', { image, reason: error.message }, { cause: error, ...detail });
}

async function removeUnfinished(cache: string, name: string): Promise<void> {
  const left = readdirSync(cache).filter((entry) => entry.startsWith(`${name}.`) && entry.endsWith('.part'));
  for (const entry of left) await rm(join(cache, entry), { recursive: true, force: true });
}
