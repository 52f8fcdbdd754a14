import { availableParallelism, totalmem } from 'node:os';
import type { Cache } from '../cache/cache.ts';
import type { SupplyIo } from '../cache/types.ts';

/** What two big builds need together. */
const MEMORY_FOR_TWO = 8 * 1024 ** 3;

/**
 * Lets few builds run at a time, the longest of those that wait first. Each build uses all cores while it compiles, but it also
 * downloads and links: a second one fills these gaps. Builds of other processes count too.
 */
export class BuildSlots {
  private readonly cache: Cache;
  private readonly free: number[];
  private readonly waiting: { readonly work: number; readonly start: (slot: number) => void }[] = [];

  constructor(cache: Cache, count = availableParallelism() > 1 && totalmem() >= MEMORY_FOR_TWO ? 2 : 1) {
    this.cache = cache;
    this.free = Array.from({ length: count }, (_, i) => i);
  }

  /** Runs a build when its turn has come. `work`: what it costs. */
  async run<T>(work: number, io: SupplyIo, build: () => Promise<T>): Promise<T> {
    const slot = await this.turn(work, io);
    try {
      return await this.cache.alone(`go build ${slot}`, WAITING, io, build);
    } finally {
      const [next] = this.waiting.splice(0, 1);
      if (next === undefined) this.free.push(slot);
      else next.start(slot);
    }
  }

  private async turn(work: number, io: SupplyIo): Promise<number> {
    io.signal.throwIfAborted();
    const slot = this.free.shift();
    if (slot !== undefined) return slot;
    io.say(WAITING);
    return await new Promise<number>((resolve, reject) => {
      const stop = (): void => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        reject(io.signal.reason as Error);
      };
      const start = (at: number): void => {
        io.signal.removeEventListener('abort', stop);
        resolve(at);
      };
      const entry = { work, start };
      const before = this.waiting.findIndex((one) => one.work < work);
      this.waiting.splice(before === -1 ? this.waiting.length : before, 0, entry);
      io.signal.addEventListener('abort', stop, { once: true });
    });
  }
}

const WAITING = 'waiting for another build';
