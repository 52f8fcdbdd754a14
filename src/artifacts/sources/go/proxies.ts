import { copyFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connections } from '../../../http/connections.ts';
import { asHttpFailure, HttpFailure, statusFailure } from '../../../http/failure.ts';
import { FilePart } from '../../../http/file-part.ts';
import { get, shownUrl } from '../../../http/get.ts';
import { proxyFor } from '../../../http/proxy.ts';
import { withRetries } from '../../../http/retry.ts';
import { transfer } from '../../../http/transfer.ts';
import type { SupplyIo } from '../../cache/types.ts';

/** A module proxy of GOPROXY. */
export interface Proxy {
  readonly url: string;
  /** Whether the next one is asked after any failure, or only where this one does not have it. */
  readonly next: 'always' | 'absent';
}

/** Where GOPROXY says nothing. No proxy is kubexm's to choose. */
export const DEFAULT_PROXY = 'direct';
/** What `direct` means for a toolchain: where the project itself serves them as modules. */
export const DIRECT = 'https://go.dev/dl/mod';
const STALL_SECONDS = 20;
const SMALL = 4 * 1024 * 1024;

/** Reads GOPROXY: addresses with `,` or `|` between them. Nothing is left where it says `off`. */
export function parseProxies(text: string | undefined): readonly Proxy[] {
  const proxies: Proxy[] = [];
  for (const [, entry = '', mark] of (text || DEFAULT_PROXY).matchAll(/([^,|]+)([,|]?)/g)) {
    const url = entry.trim();
    if (url === 'off') break;
    const next = mark === '|' ? 'always' : 'absent';
    if (url === 'direct') proxies.push({ url: DIRECT, next });
    else if (url !== '')
      proxies.push({ url: (url.includes('://') ? url : `https://${url}`).replace(/\/+$/, ''), next });
    if (url === 'direct') break;
  }
  return proxies;
}

/** Files of module proxies and of checksum databases. */
export class ProxyFiles {
  private readonly io: SupplyIo;
  private readonly connections: Connections;
  private readonly stallSeconds: number;

  constructor(io: SupplyIo, stallSeconds = STALL_SECONDS) {
    this.io = io;
    this.stallSeconds = stallSeconds;
    this.connections = new Connections({ proxyFor: (url) => proxyFor(url, io.env), stallSeconds });
  }

  close(): void {
    this.connections.close();
  }

  /** A small file; unset where there is none. Throws HttpFailure. */
  async read(address: string): Promise<Buffer | undefined> {
    if (address.startsWith('file:')) return await readFile(fileURLToPath(address)).catch(absent);
    return await this.tried(address, async () => {
      const answer = await get(new URL(address), this.options());
      if (answer.status === 404 || answer.status === 410) {
        await answer.body.drop();
        return undefined;
      }
      if (answer.status === 200) return await answer.body.all(SMALL);
      await answer.body.drop();
      throw statusFailure(answer.status, answer.statusText, answer.headers['retry-after']);
    });
  }

  /** Brings a large file to a path, going on where it was cut. Unset: there is none. Throws HttpFailure. */
  async bring(address: string, path: string): Promise<string | undefined> {
    if (address.startsWith('file:')) {
      const from = fileURLToPath(address);
      return await copyFile(from, path).then(() => path, absent);
    }
    const part = await FilePart.open(path, ['sha256']);
    try {
      await this.tried(address, () =>
        transfer(
          new URL(address),
          part,
          { checked: true },
          this.options(),
          (done, total) => this.io.progress(done, total),
          { begun: (answer, total) => part.belongsTo(new URL(address), answer, total) },
        ),
      );
      return part.file;
    } catch (error) {
      if (error instanceof HttpFailure && (error.status === 404 || error.status === 410)) return undefined;
      throw error;
    } finally {
      await part.close();
    }
  }

  private async tried<T>(address: string, work: () => Promise<T>): Promise<T> {
    try {
      return await withRetries({ attempts: 3, delaySeconds: 0.5 }, this.io.signal, work, asHttpFailure);
    } catch (error) {
      this.io.signal.throwIfAborted();
      if (isFileError(error)) throw error;
      const failure = asHttpFailure(error);
      const { transient, trouble, status } = failure;
      const about = { transient, trouble, ...(status === undefined ? {} : { status }) };
      throw new HttpFailure(`${shownUrl(dirname(address))}: ${failure.message}`, { ...about, cause: failure });
    }
  }

  private options() {
    const { connections, stallSeconds } = this;
    return { connections, signal: this.io.signal, stallSeconds, keepHttps: true };
  }
}

/** An error of the disk passes as it is. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && ['write', 'open', 'ftruncate'].includes(String(error.syscall));
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
