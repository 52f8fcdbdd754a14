import { type ReportTable, tableText } from '../../model/text/table.ts';
import { defineStep } from '../../plan/step.ts';

/** Shows a table, whose cells may be values of earlier steps. */
export const reportTable = defineStep<ReportTable>()({
  kind: 'reportTable',
  description: 'Shows a table with aligned columns; cells may come from earlier steps, of one host or of all.',
  title: (want) => `table ${want.title ?? ''}`.trim(),
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => {
    io.say(tableText(want));
  },
  example: { title: 'Hosts', headers: ['host', 'kernel'], rows: [['node1', '6.1.0']] },
});
