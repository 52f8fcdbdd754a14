import { asEventError } from '../engine/errors.ts';
import { sequence } from '../plan/combinators.ts';
import type { Pipeline } from '../plan/layers.ts';
import type { Connected } from './connect.ts';
import type { RunPipelineOptions } from './run-pipeline.ts';

/**
 * The checks of a pipeline alone, which also say of hosts that do not answer why. Undefined where there are none, or where a
 * person asked for something else than all of a run. It has a name of its own: what it leaves behind is no run to be resumed.
 */
export function checksOf<P>(
  pipeline: Pipeline<P>,
  params: P,
  { unreachable }: Connected,
  options: RunPipelineOptions,
): Pipeline<P> | undefined {
  const modules = pipeline.checks?.(params) ?? [];
  const isPart = (options.tags ?? []).length > 0 || (options.skipTags ?? []).length > 0;
  if (modules.length === 0 || isPart || options.dryRun || options.onPlanned) return undefined;
  const reasons = [...unreachable].map(([host, error]) => {
    const { code, params: why } = asEventError(error, host);
    return [host, { code, params: why }] as const;
  });
  return {
    name: `${pipeline.name} (checks)`,
    description: pipeline.description,
    actsOn: pipeline.actsOn,
    modules,
    policy: 'inspect',
    plan: (context) => {
      const known = { ...context, unreachable: Object.fromEntries(reasons) };
      return sequence(...modules.map((one) => one.plan(known)));
    },
  };
}
