import type { BuildNeed } from '../../model/catalog/need.ts';
import type { BuildLedger } from '../cache/build-ledger.ts';
import { BuildTimes } from '../cache/build-times.ts';
import type { PlannedBuild, SupplyIo } from '../cache/types.ts';
import { isDownloaded } from './go/index.ts';

/** Of a recipe that nobody has measured yet. */
const USUAL_COST = { cpuSeconds: 60, megabytes: 500 };
/** Programs that kubexm carries itself have no requirements. */
const OWN_COST = { cpuSeconds: 8, megabytes: 80 };
/** What is left to be written where a module was built before. */
const WARM = 0.2;

/** Programs of a recipe that are not built yet. */
export interface OpenRecipe {
  readonly build: BuildNeed;
  /** `kubernetes/1.34.2/amd64`. */
  readonly place: string;
  readonly key: string;
  readonly programs: readonly string[];
}

/** What builds cost: estimated before they are made, counted while they run, and remembered afterwards. */
export class TimedBuilds {
  private readonly times: BuildTimes;
  private readonly ledger: BuildLedger;

  constructor(cacheDir: string, ledger: BuildLedger) {
    this.times = new BuildTimes(cacheDir);
    this.ledger = ledger;
  }

  /** A build of programs that somebody publishes. */
  async planned({ build, place, key, programs }: OpenRecipe, env: SupplyIo['env']): Promise<PlannedBuild> {
    const { cpuSeconds, megabytes } = build.cost ?? USUAL_COST;
    const [first] = build.modules;
    const cold = first === undefined || !(await isDownloaded(first, env));
    const [component = '', , arch = ''] = place.split('/');
    const recipe = `${component} ${arch}: ${[...programs].sort().join(', ')}`;
    const timed = { recipe, cold, cpuSeconds };
    return {
      ...timed,
      name: `${place} ${key}`,
      programs,
      seconds: this.times.secondsOf(timed),
      megabytes: Math.ceil(megabytes * (cold ? 1 : WARM)),
    };
  }

  /** A build of a program that kubexm carries the sources of. */
  own(program: string, arch: string | undefined): PlannedBuild {
    const name = `own ${program} ${arch}`;
    const timed = { recipe: name, cold: false, cpuSeconds: OWN_COST.cpuSeconds };
    return { ...OWN_COST, ...timed, name, programs: [program], seconds: this.times.secondsOf(timed) };
  }

  /** Somebody else has made it. */
  isMade(place: string, key: string): void {
    this.ledger.settle(`${place} ${key}`);
  }

  /** Makes a build, and remembers how long it took. */
  async make<T>(planned: PlannedBuild, io: SupplyIo, work: (counting: SupplyIo) => Promise<T>): Promise<T> {
    const begun = this.ledger.begin(planned);
    const progress: SupplyIo['progress'] = (done, total) => {
      begun.progress(done, total);
      // What go counts are packages.
      io.progress(done, total, 'parts');
    };
    let isMade = false;
    try {
      const made = await work({ ...io, progress });
      isMade = true;
      return made;
    } finally {
      const seconds = begun.end(isMade);
      if (isMade) await this.times.note(planned, seconds);
    }
  }
}
