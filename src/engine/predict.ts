import type { KubexmError, Text } from '../model/errors/index.ts';
import type { Machine } from '../model/host.ts';
import type { StepReport } from '../model/report.ts';
import { refOf } from './describe.ts';
import type { ExecuteOptions } from './options.ts';
import { MissingValue, type Values } from './values.ts';

/** Runs the `predict` of a step in a dry run. A step that needs a value which is not known yet is left out. */
export function predictNode(
  options: ExecuteOptions,
  values: Values,
  machine: Machine,
  i: number,
  wouldFail: (error: KubexmError) => void,
): void {
  const { graph, emit } = options;
  const predict = graph.use(i)?.step.predict;
  if (!predict) return;
  const say = (text: string | Text) => emit({ type: 'message', text, node: graph.id(i) });
  const report = (one: StepReport) => emit({ type: 'node-report', ...refOf(graph, values, i), report: one });
  try {
    values.set(i, predict(machine, values.forPrediction(i), { report, say, wouldFail }));
  } catch (error) {
    if (!(error instanceof MissingValue)) throw error;
  }
}
