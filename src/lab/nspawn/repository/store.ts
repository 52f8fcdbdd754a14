import { existsSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Wanted } from './request.ts';

/** Gets one file: resolves, or says why not. */
export type Download = (uri: string, file: string) => Promise<'done' | 'absent' | 'failed'>;

/** How long an index may be used before the box is asked again. */
const FRESH_MS = 10 * 60_000;
/** The box's apt is asked for so many at once. */
const PARALLEL = 4;

/** Packages and indexes that were asked for before, and a way to get others. */
export class Store {
  readonly #dir: string;
  readonly #download: Download;
  readonly #now: () => number;
  readonly #coming = new Map<string, Promise<string | undefined>>();
  readonly #waiting: (() => void)[] = [];
  #free = PARALLEL;
  #count = 0;

  constructor(dir: string, download: Download, now: () => number = Date.now) {
    this.#dir = dir;
    this.#download = download;
    this.#now = now;
  }

  /** The file's path once it is here; undefined when there is no such file; rejects when it cannot be downloaded now. */
  get(wanted: Wanted): Promise<string | undefined> {
    const file = join(this.#dir, wanted.file);
    if (existsSync(file) && (wanted.fixed || this.#now() - statSync(file).mtimeMs < FRESH_MS))
      return Promise.resolve(file);
    const coming = this.#coming.get(file) ?? this.#fetch(wanted, file).finally(() => this.#coming.delete(file));
    this.#coming.set(file, coming);
    return coming;
  }

  async #fetch(wanted: Wanted, file: string): Promise<string | undefined> {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Other labs fill the same directory: nobody sees a file before it is whole.
    const part = `${file}.${process.pid}-${this.#count++}.part`;
    await this.#enter();
    try {
      const result = await this.#download(wanted.uri, part);
      if (result === 'absent') return undefined;
      if (result === 'done') {
        // apt gives a file its date at the source; here it tells when it was fetched.
        utimesSync(part, this.#now() / 1000, this.#now() / 1000);
        renameSync(part, file);
        return file;
      }
      // Without the world, what was true lately will do.
      if (existsSync(file)) return file;
      throw new Error(`cannot get ${wanted.uri}`);
    } finally {
      rmSync(part, { force: true });
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
