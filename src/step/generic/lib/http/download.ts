import { chmod, readFile, rename } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { kubexmError } from '../../../../model/errors/index.ts';
import { fileDigest } from '../local-file.ts';
import { fetchChecksum, type KnownDigest } from './checksums.ts';
import { asFailure, TransferFailure } from './failure.ts';
import type { Env } from './proxy.ts';
import { type HttpOptions, shownUrl } from './request.ts';
import { dropPart, partOf, type Transferred, transfer } from './transfer.ts';

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

const LONGEST_DELAY_SECONDS = 60;

/** Brings a file here, into a directory that exists: address by address, again where that may help, and under its name only when it is whole and right. */
export async function downloadFile(job: DownloadJob, io: DownloadIo): Promise<Downloaded> {
  const failures: string[] = [];
  const digest = await knownDigest(job, io, failures);
  for (const url of job.urls) {
    const done = await fromAddress(url, digest, job, io, failures);
    if (done === undefined) continue;
    const part = partOf(job.path);
    await chmod(part.file, 0o644);
    await rename(part.file, job.path);
    await dropPart(part);
    return { ...done, url };
  }
  throw kubexmError('KX5001', { file: basename(job.path) }, { detail: failures.join('\n') });
}

async function knownDigest(job: DownloadJob, io: DownloadIo, failures: string[]): Promise<KnownDigest | undefined> {
  if (job.sha256 !== undefined) return { algorithm: 'sha256', hex: job.sha256 };
  const { checksumUrl } = job;
  if (checksumUrl === undefined) return undefined;
  const names = [...job.urls.map((url) => basename(decodeURIComponent(new URL(url).pathname))), basename(job.path)];
  const options = await httpOptions(job, io, true);
  const found = await tried(job, io, checksumUrl, failures, () =>
    fetchChecksum(new URL(checksumUrl), [...new Set(names)], options),
  );
  if (found === undefined) throw kubexmError('KX5001', { file: basename(job.path) }, { detail: failures.join('\n') });
  return found;
}

async function fromAddress(
  url: string,
  digest: KnownDigest | undefined,
  job: DownloadJob,
  io: DownloadIo,
  failures: string[],
): Promise<Transferred | undefined> {
  const part = partOf(job.path);
  const sha256 = digest?.algorithm === 'sha256' ? digest.hex : undefined;
  const options = await httpOptions(job, io, digest === undefined);
  return await tried(job, io, url, failures, async () => {
    const done = await transfer(new URL(url), part, { sha256, bytes: job.bytes }, options, (at, total) =>
      io.progress(at, total),
    );
    const found = digest?.algorithm === 'sha512' ? await fileDigest(part.file, 'sha512') : done.sha256;
    if (digest === undefined || found === digest.hex) return done;
    await dropPart(part);
    // What had come earlier may have been of another file: once more from the start.
    throw new TransferFailure(`${digest.algorithm} is ${found}, expected is ${digest.hex}`, {
      transient: done.resumed,
      retryAfter: 0,
    });
  });
}

/** Tries an address as often as that may help; every failure is noted. */
async function tried<T>(
  job: DownloadJob,
  io: DownloadIo,
  url: string,
  failures: string[],
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      io.signal.throwIfAborted();
      const failure = asFailure(error);
      failures.push(`${shownUrl(url)}: ${failure.message}`);
      if (!failure.transient || attempt >= job.attempts) return undefined;
      const wait = failure.retryAfter ?? job.delaySeconds * 2 ** (attempt - 1);
      await delay(Math.min(wait, LONGEST_DELAY_SECONDS) * 1000, undefined, { signal: io.signal });
    }
  }
}

/** Without a digest, https is all that vouches for a file: it must not be left. */
async function httpOptions(job: DownloadJob, io: DownloadIo, keepHttps: boolean): Promise<HttpOptions> {
  const ca = job.caFile === undefined ? undefined : await readFile(job.caFile, 'utf8');
  return { signal: io.signal, stallSeconds: job.stallSeconds, env: io.env, ca, keepHttps };
}
