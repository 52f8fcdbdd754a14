/** Getting artifacts: from the cache, the network, the disk, or built from source; by digest, once for all callers. */
export { locked, writeError } from '../oci/index.ts';
export { goPlaces } from '../sources/go/index.ts';
export type { BuildsProgress } from './build-ledger.ts';
export { artifactCacheDir, type Cache, digestOfHex, openCache } from './cache.ts';
export { ensure, type Got, keyOf, type Pins, type Supply, whyUnbuilt } from './ensure.ts';
export { itemsOf } from './items.ts';
export { jobsOf } from './jobs.ts';
export { openSupply } from './open.ts';
export { type JobForecast, survey, whyNowhere } from './survey.ts';
export type { Item, Job, Missing, PlannedBuild, Source } from './types.ts';
