import { enArtifacts } from './en-artifacts.ts';
import { enCluster } from './en-cluster.ts';
import { enHelp } from './en-help.ts';
import { enLab } from './en-lab.ts';
import { enQuickstart } from './en-quickstart.ts';
import { enReset } from './en-reset.ts';
import { enRun } from './en-run.ts';
import { enViews } from './en-views.ts';
import { enWords } from './en-words.ts';

/** Everything the command line says, in English. */
export const en = {
  ...enHelp,
  ...enWords,
  ...enRun,
  ...enReset,
  ...enArtifacts,
  ...enCluster,
  ...enViews,
  ...enQuickstart,
  ...enLab,
} as const;
