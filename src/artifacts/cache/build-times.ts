import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** A build whose time is asked for or noted. */
export interface TimedBuild {
  /** The same for every version of a component: versions take about the same time. */
  readonly recipe: string;
  /** Its modules have not been downloaded yet, so nothing of it is in the cache of Go. */
  readonly cold: boolean;
  /** What it cost where the catalog was measured. */
  readonly cpuSeconds: number;
}

/** A time that was measured on this machine. */
interface Measured {
  readonly seconds: number;
  readonly cores: number;
  readonly cpuSeconds: number;
}

/** The file, in the cache directory. */
export const BUILD_TIMES = 'build-times.json';

/** Seconds in which the modules of a build are downloaded. */
const MODULES_SECONDS = 15;
/** Not all of a build keeps all cores busy. */
const BUSY = 0.9;
/** A machine is neither faster nor slower than the one of the catalog by more than this: then something else was measured. */
const PACE = { least: 0.2, most: 10 } as const;

/** How long builds take on this machine: as they took here, else by the cost in the catalog. Each has all cores for itself. */
export class BuildTimes {
  private readonly file: string;
  private readonly dir: string;
  private readonly cores: number;

  constructor(cacheDir: string, cores: number = availableParallelism()) {
    this.dir = cacheDir;
    this.file = join(cacheDir, BUILD_TIMES);
    this.cores = cores;
  }

  /** About how many seconds a build takes. */
  secondsOf(build: TimedBuild): number {
    const all = this.read();
    const here = all.get(keyOf(build));
    if (here !== undefined) return (here.seconds * here.cores) / this.cores;
    return usualSeconds(build, this.cores) * pace(all);
  }

  /** Keeps what a build took. A time that cannot be kept is no reason to fail. */
  async note(build: TimedBuild, seconds: number): Promise<void> {
    const fresh = `${this.file}.${randomUUID()}.new`;
    try {
      const measured = { seconds: Math.round(seconds * 10) / 10, cores: this.cores, cpuSeconds: build.cpuSeconds };
      const builds = Object.fromEntries([...this.read(), [keyOf(build), measured]].sort());
      await mkdir(this.dir, { recursive: true });
      await writeFile(fresh, `${JSON.stringify({ version: 1, builds }, null, 1)}\n`);
      await rename(fresh, this.file);
    } catch {
      await rm(fresh, { force: true }).catch(() => undefined);
    }
  }

  /** A file that is damaged, or of another version, says nothing. */
  private read(): ReadonlyMap<string, Measured> {
    try {
      const { version, builds } = JSON.parse(readFileSync(this.file, 'utf8')) as {
        readonly version?: unknown;
        readonly builds?: Readonly<Record<string, Partial<Measured>>>;
      };
      if (version !== 1) return new Map();
      const good = Object.entries(builds ?? {}).flatMap(([key, { seconds, cores, cpuSeconds }]) =>
        isAmount(seconds) && isAmount(cores) && isAmount(cpuSeconds)
          ? [[key, { seconds, cores, cpuSeconds }] as const]
          : [],
      );
      return new Map(good);
    } catch {
      return new Map();
    }
  }
}

/** Seconds of a build that was never made here: its modules are downloaded, then all cores compile. */
function usualSeconds({ cpuSeconds, cold }: Pick<TimedBuild, 'cpuSeconds' | 'cold'>, cores: number): number {
  return (cold ? MODULES_SECONDS : 0) + cpuSeconds / (cores * BUSY);
}

/** How much longer builds take here than the catalog says. */
function pace(all: ReadonlyMap<string, Measured>): number {
  const cold = [...all].filter(([key]) => key.endsWith(COLD)).map(([, one]) => one);
  const usual = cold.reduce((sum, { cpuSeconds, cores }) => sum + usualSeconds({ cpuSeconds, cold: true }, cores), 0);
  const here = cold.reduce((sum, { seconds }) => sum + seconds, 0);
  return usual === 0 ? 1 : Math.min(PACE.most, Math.max(PACE.least, here / usual));
}

const COLD = ' from nothing';

function keyOf({ recipe, cold }: TimedBuild): string {
  return cold ? `${recipe}${COLD}` : recipe;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
