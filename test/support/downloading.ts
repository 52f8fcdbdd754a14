import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { KubexmError } from '../../src/model/errors/index.ts';
import { type Host, output } from '../../src/model/host.ts';
import type { StepIo } from '../../src/plan/step.ts';
import { type Download, download } from '../../src/step/generic/download.ts';
import { FaultServer } from './fault-server.ts';

/** What is downloaded in tests: long enough to come in pieces. */
export const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 251));
/** Another file of the same length that begins the same. */
export const other = Buffer.from(content).fill(1, 150_000);
/** The digest of `content`. */
export const sha256 = digest(content);

/** A digest in hex. */
export function digest(data: Uint8Array, algorithm = 'sha256'): string {
  return createHash(algorithm).update(data).digest('hex');
}

/** A server and a place for one test at a time. */
export class Downloading {
  server = new FaultServer();
  path = '';
  progress: [number, number | undefined][] = [];
  redacted: string[] = [];
  readonly base = mkdtempSync(join(tmpdir(), 'kubexm-download-'));

  constructor() {
    beforeEach(async () => {
      this.server = await new FaultServer().start();
      this.path = join(mkdtempSync(join(this.base, 'd-')), 'sub dir', 'file');
      this.progress = [];
      this.redacted = [];
    });
    afterEach(async () => await this.server.stop());
    afterAll(() => rmSync(this.base, { recursive: true, force: true }));
  }

  io(signal: AbortSignal = new AbortController().signal): StepIo {
    return {
      signal,
      progress: (done, total) => void this.progress.push([done, total]),
      report: () => undefined,
      say: () => undefined,
      line: () => undefined,
      sent: () => undefined,
      secret: () => undefined,
      ask: async () => '',
      redact: (secret) => void this.redacted.push(secret),
    };
  }

  /** Makes the directory on request, as the local machine does. */
  get local(): Host {
    const run = async () => {
      mkdirSync(join(this.path, '..'), { recursive: true });
      return output(0);
    };
    return { name: 'local', run } as unknown as Host;
  }

  /** Downloads with no patience at all. */
  async get(urls: readonly string[], more: Partial<Download> = {}): Promise<unknown> {
    const want = { urls, path: this.path, delaySeconds: 0.01, stallSeconds: 0.3, ...more };
    return await download.definition.apply(this.local, want, this.io());
  }

  /** The reasons of a download that must fail and must leave nothing under its name. */
  async failure(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => new Error('it should have failed'),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(KubexmError);
    expect((error as KubexmError).code).toBe('KX5001');
    expect(existsSync(this.path), 'nothing under its name').toBe(false);
    return (error as KubexmError).detail ?? '';
  }
}
