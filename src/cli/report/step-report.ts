import { type PlainOptions, plainLines } from '../../index.ts';
import { errorRemedy, errorTitle, type Lang } from '../../model/errors/index.ts';
import type { RunEvent } from '../../model/event.ts';
import { printable } from '../../model/text/printable.ts';
import { healthTable } from './health-table.ts';
import { preflightTable } from './preflight-table.ts';
import { smokeTable } from './smoke-table.ts';

/** An event for people: a line for each change of state, and tables of what steps found. */
export function eventLines(event: RunEvent, options: PlainOptions): readonly string[] {
  if (event.type !== 'node-report') return plainLines(event, options);
  return reportText(event, options.lang).split('\n').map(printable);
}

function reportText({ host, report }: Extract<RunEvent, { type: 'node-report' }>, lang: Lang): string {
  switch (report.type) {
    case 'left':
      return `${host}: ${report.text}`;
    case 'finding': {
      const { code, params } = report.finding;
      return `${host}: ${code} ${errorTitle(code, params, lang)}\n→ ${errorRemedy(code, params, lang)}`;
    }
    case 'preflight':
      return preflightTable(report, lang);
    case 'smoke':
      return smokeTable(report.results, lang);
    case 'health':
      return healthTable(report, lang);
  }
}
