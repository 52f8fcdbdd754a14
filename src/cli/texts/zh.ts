import type { en } from './en.ts';
import { zhArtifacts } from './zh-artifacts.ts';
import { zhCluster } from './zh-cluster.ts';
import { zhHelp } from './zh-help.ts';
import { zhLab } from './zh-lab.ts';
import { zhQuickstart } from './zh-quickstart.ts';
import { zhReset } from './zh-reset.ts';
import { zhRun } from './zh-run.ts';
import { zhViews } from './zh-views.ts';
import { zhWords } from './zh-words.ts';

/** 命令行的全部中文文字。 */
export const zh: Readonly<Record<keyof typeof en, string>> = {
  ...zhHelp,
  ...zhWords,
  ...zhRun,
  ...zhReset,
  ...zhArtifacts,
  ...zhCluster,
  ...zhViews,
  ...zhQuickstart,
  ...zhLab,
};
