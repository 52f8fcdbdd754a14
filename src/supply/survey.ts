import { KubexmError } from '../model/errors/index.ts';
import { keyOf, type Supply } from './ensure.ts';
import { UNTRUSTED } from './source/untrusted.ts';
import type { AskIo, Job, Missing, Outlook, PlannedBuild } from './types.ts';

/** Where a job would come from, and what that takes. */
export interface JobForecast {
  readonly job: Job;
  /** The first source that offers it and answers. Unset: none does. */
  readonly source?: string;
  /** Why the sources before it, or all of them, cannot give it. */
  readonly whys: readonly { readonly source: string; readonly error: KubexmError }[];
  readonly missing: readonly Missing[];
  readonly builds: readonly PlannedBuild[];
}

/** Asks the sources, in their order, which of them answers for each job. Nothing is got. */
export async function survey(
  { sources }: Pick<Supply, 'sources'>,
  jobs: readonly Job[],
  io: AskIo,
): Promise<readonly JobForecast[]> {
  return await Promise.all(
    jobs.map(async (job) => {
      const whys: { readonly source: string; readonly error: KubexmError }[] = [];
      for (const source of sources) {
        if ((await keyOf(source, job).catch(() => undefined)) === undefined) continue;
        const { why, missing = [], builds = [] } = (await source.outlook?.(job, io).catch(asWhy)) ?? {};
        if (why === undefined) return { job, source: source.name, whys, missing, builds };
        whys.push({ source: source.name, error: why });
        // Getting it would end here, too.
        if (UNTRUSTED.includes(why.code)) break;
      }
      return { job, whys, missing: [], builds: [] };
    }),
  );
}

/** A source that cannot even be asked is passed over, as it is when the job is got. */
function asWhy(error: unknown): Outlook {
  if (error instanceof KubexmError) return { why: error };
  throw error;
}
