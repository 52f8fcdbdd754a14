import { KubexmError, kubexmError } from '../../model/errors/index.ts';
import { UNTRUSTED } from '../sources/untrusted.ts';
import { keyOf, noSource, type Supply } from './ensure.ts';
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
        const key = await keyOf(source, job).catch(asWhy);
        if (key === undefined) continue;
        const outlook = typeof key === 'string' ? await source.outlook?.(job, io).catch(asWhy) : key;
        const { why, missing = [], builds = [] } = outlook ?? {};
        if (why === undefined) return { job, source: source.name, whys, missing, builds };
        whys.push({ source: source.name, error: why });
        // Getting it would end here, too.
        if (UNTRUSTED.includes(why.code)) break;
      }
      return { job, whys, missing: [], builds: [] };
    }),
  );
}

/**
 * The error that getting these jobs would end with, because no source gives one of them; undefined where it would not. The cluster
 * does without an optional component, but nobody goes on past a server that is not trusted.
 */
export function whyNowhere(supply: Pick<Supply, 'sources'>, found: readonly JobForecast[]): KubexmError | undefined {
  const nowhere = found.filter(({ source }) => source === undefined);
  const whys = nowhere.flatMap((one) => one.whys.map(({ error }) => error));
  const untrusted = whys.find(({ code }) => UNTRUSTED.includes(code));
  if (untrusted) return untrusted;
  const errors = nowhere.filter(({ job }) => !job.optional).map((one) => noSource(supply, one.job, one.whys));
  const [first] = errors;
  if (first === undefined || errors.length === 1) return first;
  const all = (name: 'what' | 'sources') =>
    [...new Set(errors.flatMap(({ params }) => String(params[name]).split(', ')))].join(', ');
  const detail = [...new Set(errors.flatMap((error) => error.detail ?? []))].join('\n');
  const code = errors.some((error) => error.code === 'KX7016') ? 'KX7016' : 'KX7015';
  return kubexmError(code, { what: all('what'), sources: all('sources') }, detail === '' ? {} : { detail });
}

/** A source that cannot even be asked is passed over, as it is when the job is got. */
function asWhy(error: unknown): Outlook {
  if (error instanceof KubexmError) return { why: error };
  throw error;
}
