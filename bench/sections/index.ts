import type { Section } from '../lib/report.ts';
import { artifacts } from './artifacts.ts';
import { cluster } from './cluster.ts';
import { coldBuilds } from './cold-builds.ts';
import { distribution } from './distribution.ts';
import { lab } from './lab.ts';
import { latency } from './latency.ts';
import { noOpRun } from './no-op-run.ts';
import { plan } from './plan.ts';
import { schedule } from './schedule.ts';
import { start } from './start.ts';
import { upload } from './upload.ts';

/** All sections, in the order of the document. */
export const sections: readonly Section[] = [
  plan,
  schedule,
  noOpRun,
  latency,
  upload,
  artifacts,
  distribution,
  coldBuilds,
  lab,
  cluster,
  start,
];
