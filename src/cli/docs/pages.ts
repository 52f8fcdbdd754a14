import { catalogue, describeSchema, reference } from '../../index.ts';
import type { CommandSpec } from '../command-spec.ts';
import { cliPage } from './cli-page.ts';
import { configPage, errorsPage } from './data-pages.ts';
import { page } from './markdown.ts';
import { modulesPage, pipelinesPage, stepsPage, tasksPage } from './plan-pages.ts';

/** Every reference page by its file name. The same code always gives the same pages. */
export function referencePages(specs: readonly CommandSpec[]): ReadonlyMap<string, string> {
  const parts = reference();
  const pages = {
    'cli.md': cliPage(specs),
    'config.md': configPage(describeSchema()),
    'errors.md': errorsPage(catalogue),
    'modules.md': modulesPage(parts),
    'pipelines.md': pipelinesPage(parts),
    'steps.md': stepsPage(parts),
    'tasks.md': tasksPage(parts),
  };
  const titles = Object.entries(pages).map(([file, text]) => `- [${/^# (.*)$/m.exec(text)?.[1] ?? file}](${file})`);
  return new Map([['README.md', page('Reference', titles)], ...Object.entries(pages)]);
}
