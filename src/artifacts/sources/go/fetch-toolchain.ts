import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import data from '../../../../data/go/toolchain.json' with { type: 'json' };
import { HttpFailure } from '../../../http/failure.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { AskIo, SupplyIo } from '../../cache/types.ts';
import { ownArch } from './cgo.ts';
import { withoutSecrets } from './failure.ts';
import { DEFAULT_PROXY, ProxyFiles, parseProxies } from './proxies.ts';
import { lookUp } from './sumdb/lookup.ts';
import { parseKey, type VerifierKey } from './sumdb/note.ts';
import { withWorkDirectory } from './work.ts';
import { unpackModule, ZipFailure } from './zip.ts';

const MODULE = 'golang.org/toolchain';

/** The Go that is taken where none is installed. */
export function fetchedVersion(): string {
  return data.version;
}

/** Where the zip and the hash of a toolchain come from, and what goes wrong on the way. */
interface Wanted {
  readonly what: string;
  /** `v0.0.1-go1.26.8.linux-amd64`. */
  readonly version: string;
  /** GOPROXY without passwords. */
  readonly proxy: string;
}

/** Brings a Go from the module proxy into the cache, after the checksum database vouched for it, and returns its root. */
export async function fetchToolchain(what: string, cacheDir: string, io: SupplyIo): Promise<string> {
  const platform = `${process.platform}-${ownArch()}`;
  const root = join(cacheDir, 'go', `go${data.version}.${platform}`);
  if (await exists(join(root, 'bin', 'go'))) return root;
  const proxy = withoutSecrets(io.env['GOPROXY'] || DEFAULT_PROXY);
  const wanted = { what: `go ${data.version}`, version: `v0.0.1-go${data.version}.${platform}`, proxy };
  io.say(`downloading go ${data.version}, which builds ${what}`);
  const files = new ProxyFiles(io);
  try {
    const hash = await knownHash(wanted, files, io);
    await withWorkDirectory(cacheDir, async (directory) => {
      const zip = await bringZip(wanted, join(directory, 'toolchain.zip'), files, io);
      io.say(`unpacking go ${data.version}`);
      await unpackChecked(zip, hash, wanted, join(directory, 'root'), io);
      await mkdir(join(cacheDir, 'go'), { recursive: true });
      await rename(join(directory, 'root'), root).catch(async (error: unknown) => {
        // Somebody else was faster, and theirs is as good.
        if (!(await exists(join(root, 'bin', 'go')))) throw error;
      });
    });
    return root;
  } finally {
    files.close();
  }
}

/** So long a proxy may take to say that it has a toolchain. */
const ANSWER_MS = 8000;

/** Why no Go could be brought from the module proxy; unset where one is in the cache already or the proxy has it. */
export async function toolchainTrouble(cacheDir: string, { env, signal }: AskIo): Promise<string | undefined> {
  const platform = `${process.platform}-${ownArch()}`;
  if (await exists(join(cacheDir, 'go', `go${data.version}.${platform}`, 'bin', 'go'))) return undefined;
  if (databaseOf(env['GOSUMDB']) === undefined) return 'GOSUMDB names no checksum database with a known key';
  const quiet = { progress: () => undefined, say: () => undefined };
  const files = new ProxyFiles({ env, signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]), ...quiet });
  let trouble = 'GOPROXY is off';
  try {
    for (const { url, next } of parseProxies(env['GOPROXY'])) {
      try {
        if (await files.read(`${url}/${MODULE}/@v/v0.0.1-go${data.version}.${platform}.mod`)) return undefined;
        trouble = `${withoutSecrets(url)} does not have it`;
      } catch (error) {
        signal.throwIfAborted();
        trouble = withoutSecrets((error as Error).message);
        if (next !== 'always') break;
      }
    }
    return trouble;
  } finally {
    files.close();
  }
}

/** What the checksum database says, asked through the first proxy that has it, else directly. */
async function knownHash({ what, version, proxy }: Wanted, files: ProxyFiles, io: SupplyIo): Promise<string> {
  const database = databaseOf(io.env['GOSUMDB']);
  if (database === undefined) {
    const reason = 'GOSUMDB names no checksum database with a known key; a Go that nobody vouches for is not taken';
    throw kubexmError('KX7034', { what, reason });
  }
  const { verifier } = database;
  try {
    const base = (await sumdbThroughProxy(verifier.name, files, io)) ?? database.url;
    const answer = await lookUp(MODULE, version, verifier, (path) => files.read(`${base}/${path}`));
    if ('hash' in answer) return answer.hash;
    if ('refused' in answer) throw kubexmError('KX7033', { what, proxy, reason: answer.refused });
    throw kubexmError('KX7034', { what, reason: `${verifier.name} does not know ${MODULE}@${version}` });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    throw kubexmError('KX7031', { proxy, reason: error.message }, { cause: error });
  }
}

async function sumdbThroughProxy(name: string, files: ProxyFiles, io: SupplyIo): Promise<string | undefined> {
  for (const { url, next } of parseProxies(io.env['GOPROXY'])) {
    const base = `${url}/sumdb/${name}`;
    const found = await files.read(`${base}/supported`).catch((error: unknown) => {
      if (next === 'always' && error instanceof HttpFailure) return undefined;
      throw error;
    });
    if (found !== undefined) return base;
  }
  return undefined;
}

async function bringZip(wanted: Wanted, path: string, files: ProxyFiles, io: SupplyIo): Promise<string> {
  const { what, version, proxy } = wanted;
  for (const { url, next } of parseProxies(io.env['GOPROXY'])) {
    try {
      const found = await files.bring(`${url}/${MODULE}/@v/${version}.zip`, path);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      if (next !== 'always') throw kubexmError('KX7031', { proxy, reason: error.message }, { cause: error });
    }
  }
  throw kubexmError('KX7032', { what, proxy, reason: `${MODULE}@${version} is not there` });
}

async function unpackChecked(zip: string, hash: string, wanted: Wanted, root: string, io: SupplyIo): Promise<void> {
  const { what, version, proxy } = wanted;
  try {
    const found = await unpackModule(zip, `${MODULE}@${version}/`, root, placeOf, (done, total) => {
      io.signal.throwIfAborted();
      io.progress(done, total);
    });
    if (found !== hash) throw new ZipFailure(`${found} came, ${hash} is known`);
  } catch (error) {
    if (!(error instanceof ZipFailure)) throw error;
    throw kubexmError('KX7033', { what, proxy, reason: error.message }, { cause: error });
  }
}

/** A module's zip has neither modes nor modules inside it: what must run may run, and every _go.mod is a go.mod again. */
export function placeOf(name: string): { readonly name: string; readonly mode: number } {
  const runs = /^bin\/|^pkg\/tool\/|^lib\/(?:.*\/)?go_[^/]+_exec$/.test(name);
  return { name: name.replace(/(^src\/(?:.*\/)?)_go\.mod$/, '$1go.mod'), mode: runs ? 0o755 : 0o644 };
}

/** Reads GOSUMDB as go does: a known name, or a key with an optional address behind it. */
export function databaseOf(
  text: string | undefined,
): { readonly verifier: VerifierKey; readonly url: string } | undefined {
  const [name = '', address] = (text || 'sum.golang.org').trim().split(/\s+/);
  const known = (data.sumdb as Record<string, { readonly key: string; readonly url: string }>)[name];
  const verifier = parseKey(known?.key ?? name);
  if (verifier === undefined) return undefined;
  return { verifier, url: (address ?? known?.url ?? `https://${verifier.name}`).replace(/\/+$/, '') };
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
