import { chmod, readFile, rename } from 'node:fs/promises';
import { basename } from 'node:path';
import { kubexmError } from '../model/errors/index.ts';
import { fetchChecksum, type KnownDigest } from './checksums.ts';
import { Connections } from './connections.ts';
import { asHttpFailure, HttpFailure } from './failure.ts';
import { FilePart } from './file-part.ts';
import { shownUrl } from './get.ts';
import { type Env, proxyFor } from './proxy.ts';
import { withRetries } from './retry.ts';
import { transfer } from './transfer.ts';

/** A file to bring here, and all that is known about it. */
export interface DownloadJob {
  /** The same file at several addresses, in the order they are tried. */
  readonly urls: readonly string[];
  readonly path: string;
  readonly sha256: string | undefined;
  readonly checksumUrl: string | undefined;
  readonly bytes: number | undefined;
  readonly caFile: string | undefined;
  /** Tries at each address. */
  readonly attempts: number;
  readonly delaySeconds: number;
  readonly stallSeconds: number;
}

/** What a download may use. */
export interface DownloadIo {
  readonly signal: AbortSignal;
  readonly env: Env;
  progress(done: number, total: number | undefined): void;
}

/** A file that is here. */
export interface Downloaded {
  readonly sha256: string;
  readonly bytes: number;
  /** Which of the addresses delivered. */
  readonly url: string;
}

/** Brings a file here, into a directory that exists: address by address, again where that may help, and under its name only when it is whole and right. */
export async function downloadFile(job: DownloadJob, io: DownloadIo): Promise<Downloaded> {
  const ca = job.caFile === undefined ? undefined : await readFile(job.caFile, 'utf8');
  const { stallSeconds } = job;
  const connections = new Connections({ ca, proxyFor: (url) => proxyFor(url, io.env), stallSeconds });
  try {
    return await new Downloader(job, io, connections).run();
  } finally {
    connections.close();
  }
}

class Downloader {
  private readonly job: DownloadJob;
  private readonly io: DownloadIo;
  private readonly connections: Connections;
  private readonly failures: string[] = [];

  constructor(job: DownloadJob, io: DownloadIo, connections: Connections) {
    this.job = job;
    this.io = io;
    this.connections = connections;
  }

  async run(): Promise<Downloaded> {
    const { urls, path } = this.job;
    const digest = await this.knownDigest();
    const part = await FilePart.open(path, digest?.algorithm === 'sha512' ? ['sha256', 'sha512'] : ['sha256']);
    try {
      for (const url of urls) {
        if (!(await this.fromAddress(new URL(url), part, digest))) continue;
        await part.sync();
        await chmod(part.file, 0o644);
        await rename(part.file, path);
        await part.drop();
        return { sha256: part.hex('sha256'), bytes: part.size, url };
      }
    } finally {
      if (part.size === 0) await part.drop();
      await part.close();
    }
    throw this.failed();
  }

  private async knownDigest(): Promise<KnownDigest | undefined> {
    const { sha256, checksumUrl, urls, path } = this.job;
    if (sha256 !== undefined) return { algorithm: 'sha256', hex: sha256 };
    if (checksumUrl === undefined) return undefined;
    const names = [...urls.map((url) => basename(decodeURIComponent(new URL(url).pathname))), basename(path)];
    const found = await this.tried(checksumUrl, () =>
      fetchChecksum(new URL(checksumUrl), [...new Set(names)], this.options(true)),
    );
    if (found === undefined) throw this.failed();
    return found;
  }

  private async fromAddress(url: URL, part: FilePart, digest: KnownDigest | undefined): Promise<boolean> {
    const done = await this.tried(url.href, async () => {
      const checked = digest !== undefined;
      const validator = part.validatorFrom(url);
      // Without either, nobody could tell that both halves are of one file.
      if (validator === undefined && !checked) await part.reset();
      // All of it had come, and the process ended before the file got its name.
      if (checked && part.size > 0 && part.hex(digest.algorithm) === digest.hex) return true;
      let resumed = false;
      await transfer(
        url,
        part,
        { bytes: this.job.bytes, checked, wasBytes: part.totalFrom(url) },
        this.options(!checked),
        (at, total) => this.io.progress(at, total),
        {
          validator,
          begun: async (answer, total) => {
            resumed = part.size > 0;
            await part.belongsTo(url, answer, total);
          },
        },
      );
      const found = digest === undefined ? undefined : part.hex(digest.algorithm);
      if (digest === undefined || found === digest.hex) return true;
      await part.reset();
      // What had come earlier may have been of another file: once more from the start.
      throw new HttpFailure(`${digest.algorithm} is ${found}, expected is ${digest.hex}`, {
        transient: resumed,
        retryAfter: 0,
      });
    });
    return done === true;
  }

  /** Tries an address as often as that may help; every failure is noted. */
  private async tried<T>(url: string, work: () => Promise<T>): Promise<T | undefined> {
    const judge = (error: unknown) => {
      const failure = asHttpFailure(error);
      this.failures.push(`${shownUrl(url)}: ${failure.message}`);
      return failure;
    };
    return await withRetries(this.job, this.io.signal, work, judge).catch(() => {
      this.io.signal.throwIfAborted();
      return undefined;
    });
  }

  /** Without a digest, https is all that vouches for a file: it must not be left. */
  private options(keepHttps: boolean) {
    const { connections } = this;
    return { connections, signal: this.io.signal, stallSeconds: this.job.stallSeconds, keepHttps };
  }

  private failed(): Error {
    return kubexmError('KX5001', { file: basename(this.job.path) }, { detail: this.failures.join('\n') });
  }
}
