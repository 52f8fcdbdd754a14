import type { KubexmError } from '../model/errors/index.ts';
import type { Machine } from '../model/host.ts';
import type { ExecuteOptions } from './options.ts';
import { MissingValue, type Values } from './values.ts';

/** Lets a step tell in a dry run what is known already. One that needs a value which is not has nothing to tell. */
export function foretellNode(
  options: ExecuteOptions,
  values: Values,
  machine: Machine,
  i: number,
  wouldFail: (error: KubexmError) => void,
): void {
  const { graph, emit, lang } = options;
  const foretell = graph.use(i)?.step.foretell;
  if (!foretell) return;
  const say = (text: string) => emit({ type: 'message', text, node: graph.id(i) });
  try {
    values.set(
      i,
      foretell(machine, values.forForetelling(i), { say, wouldFail, ...(lang === undefined ? {} : { lang }) }),
    );
  } catch (error) {
    if (!(error instanceof MissingValue)) throw error;
  }
}
