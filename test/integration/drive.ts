/**
 * Runs the sample pipeline in a process of its own, so that tests can kill it.
 * Usage: drive.ts CONFIG BASE_DIR PARAMS_JSON OPTIONS_JSON; prints one JSON line a RunEvent, then the report.
 */
import { exitCodeOf, exitCodeOfReport, KubexmError, type RunPipelineOptions, runPipeline } from '../../src/index.ts';
import { type SampleParams, samplePipeline } from './pipeline.ts';

const [configFile = '', baseDir = '', params = '{}', options = '{}'] = process.argv.slice(2);
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const drain = new AbortController();
const stop = new AbortController();
process.on('SIGINT', () => (drain.signal.aborted ? stop.abort() : drain.abort()));

try {
  const report = await runPipeline(samplePipeline, JSON.parse(params) as SampleParams, {
    configFile,
    baseDir,
    sinks: [print],
    drain: drain.signal,
    stop: stop.signal,
    ...(JSON.parse(options) as Partial<RunPipelineOptions>),
  });
  print({ type: 'report', ...report });
  process.exitCode = exitCodeOfReport(report);
} catch (error) {
  const known = error instanceof KubexmError ? { code: error.code, detail: error.detail } : {};
  print({
    type: 'error',
    ...known,
    message: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? error.stack : '',
  });
  process.exitCode = exitCodeOf(error);
}
