/**
 * Changes hosts, or resets them, in a process of its own, so that tests can kill it.
 * Usage: manifest-drive.ts change|reset CONFIG BASE_DIR PARAMS_JSON OPTIONS_JSON; prints RunEvents as JSON, then the report.
 */
import { KubexmError, type RunPipelineOptions, resetNodesWith, runPipeline } from '../../src/index.ts';
import { type ChangesParams, changesPipeline, daemon } from './manifest-pipeline.ts';

const [what = '', configFile = '', baseDir = '', params = '{}', options = '{}'] = process.argv.slice(2);
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const how: RunPipelineOptions = { configFile, baseDir, sinks: [print], ...(JSON.parse(options) as object) };

try {
  const report =
    what === 'reset'
      ? await runPipeline(
          resetNodesWith([daemon.definition]),
          { nodes: (JSON.parse(params) as { nodes: string[] }).nodes },
          how,
        )
      : await runPipeline(changesPipeline, JSON.parse(params) as ChangesParams, how);
  print({ type: 'report', ...report });
} catch (error) {
  const known = error instanceof KubexmError ? { code: error.code, detail: error.detail } : {};
  const text = error instanceof Error ? error : new Error(String(error));
  print({ type: 'error', ...known, message: text.message, stack: text.stack });
  process.exitCode = 1;
}
