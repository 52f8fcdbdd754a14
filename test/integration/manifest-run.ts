import { KubexmError, type RunPipelineOptions, resetNodesWith, runPipeline } from '../../src/index.ts';
import { type ChangesParams, changesPipeline, daemon } from './manifest-pipeline.ts';

/**
 * Changes hosts, or resets them: words are change|reset CONFIG BASE_DIR PARAMS_JSON OPTIONS_JSON. Prints every RunEvent, then its
 * report or error.
 */
export async function runChanges(words: readonly string[], print: (value: object) => void): Promise<number> {
  const [what = '', configFile = '', baseDir = '', params = '{}', options = '{}'] = words;
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
    return 0;
  } catch (error) {
    const known = error instanceof KubexmError ? { code: error.code, detail: error.detail } : {};
    const text = error instanceof Error ? error : new Error(String(error));
    print({ type: 'error', ...known, message: text.message, stack: text.stack });
    return 1;
  }
}
