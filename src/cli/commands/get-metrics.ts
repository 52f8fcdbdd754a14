import { once } from 'node:events';
import type { ExitCode } from '../../index.ts';
import type { CommandSpec } from '../command-spec.ts';
import { withHistory } from '../history.ts';
import { clusterOptions } from '../shared-options.ts';

/** `kubexm get metrics` */
export const getMetricsCommand: CommandSpec = {
  path: 'get metrics',
  summary: 'cmd.get-metrics',
  details: 'cmd.get-metrics.details',
  examples: [
    { line: 'kubexm get metrics', text: 'ex.get-metrics' },
    { line: 'kubexm get metrics --listen 9464', text: 'ex.get-metrics-listen' },
  ],
  options: [...clusterOptions, { flags: '--listen <port>', text: 'opt.listen', number: true }],
  action: (call) =>
    withHistory<ExitCode>(call, async (readers): Promise<ExitCode> => {
      const { metricsText, serveMetrics } = await import('../../index.ts');
      const { io } = call;
      const source = { totals: () => readers.flatMap((reader) => reader.totals()) };
      const port = call.options.number('listen');
      if (port === undefined) {
        io.print((await metricsText(source)).trimEnd());
        return 0;
      }
      const server = await serveMetrics(source, { port });
      io.note(io.say('metrics.at', { url: server.url }));
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      await server.close();
      return 0;
    }),
};
