import { exitCodeOf, exitCodeOfReport, KubexmError, type RunPipelineOptions, runPipeline } from '../../src/index.ts';
import { type SampleParams, samplePipeline } from './pipeline.ts';

/** Runs the sample pipeline: words are CONFIG BASE_DIR PARAMS_JSON OPTIONS_JSON. Prints every RunEvent, then its report or error. */
export async function runSample(
  words: readonly string[],
  print: (value: object) => void,
  more: Partial<RunPipelineOptions> = {},
): Promise<number> {
  const [configFile = '', baseDir = '', params = '{}', options = '{}'] = words;
  try {
    const report = await runPipeline(samplePipeline, JSON.parse(params) as SampleParams, {
      configFile,
      baseDir,
      sinks: [print],
      ...more,
      ...(JSON.parse(options) as Partial<RunPipelineOptions>),
    });
    print({ type: 'report', ...report });
    return exitCodeOfReport(report);
  } catch (error) {
    const known = error instanceof KubexmError ? { code: error.code, detail: error.detail } : {};
    const text = error instanceof Error ? error : new Error(String(error));
    print({ type: 'error', ...known, message: text.message, stack: text.stack });
    return exitCodeOf(error);
  }
}
