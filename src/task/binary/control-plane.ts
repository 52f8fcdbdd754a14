import { CONTROL_PLANE } from '../../component/index.ts';
import { on, sequence } from '../../plan/combinators.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { apiServerReady, programService } from '../../step/binary/services.ts';
import { programFilesOf } from './files.ts';

/** The control plane of masters, in its order: the API server serves before the others ask it. */
export function controlPlaneOn(context: PlanContext, masters: readonly PlanHost[]): ExecutionFragment {
  const { fingerprint } = programFilesOf(context);
  const running = CONTROL_PLANE.map((program) =>
    on(masters, (host) => programService({ program, fingerprint: fingerprint(program, host) }), { name: program }),
  );
  return sequence(...running.slice(0, 1), on(masters, apiServerReady({})), ...running.slice(1));
}
