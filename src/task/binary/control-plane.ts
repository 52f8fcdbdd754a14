import { CONTROL_PLANE } from '../../component/index.ts';
import { apiServerPort } from '../../model/cluster/places.ts';
import { on, sequence } from '../../plan/combinators.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { serverAt } from '../../step/binary/places.ts';
import { register } from '../../step/binary/register.ts';
import { apiServerReady, programService } from '../../step/binary/services.ts';
import { configOf, nodePlaces } from '../kubernetes/settings.ts';
import { programFilesOf } from './files.ts';

/** The control plane of masters, in its order: the API server serves before the others ask it. */
export function controlPlaneOn(context: PlanContext, masters: readonly PlanHost[]): ExecutionFragment {
  const { fingerprint } = programFilesOf(context);
  const running = CONTROL_PLANE.map((program) =>
    on(masters, (host) => programService({ program, fingerprint: fingerprint(program, host) }), { name: program }),
  );
  return sequence(...running.slice(0, 1), on(masters, apiServerReady({})), ...running.slice(1));
}

/** Where a master serves. */
export function serverOf(context: PlanContext, master: PlanHost): string {
  return serverAt(configOf(context, master).internal.list[0] ?? '', apiServerPort(context.cluster));
}

/** Nodes that may register, as a master that serves knows them. */
export function registerOn(context: PlanContext, nodes: readonly PlanHost[], speaker: PlanHost): ExecutionFragment {
  const server = serverOf(context, speaker);
  return on(nodes, (host) =>
    register({
      server,
      node: host.name,
      address: configOf(context, host).internal.list[0] ?? '',
      places: nodePlaces(context, host),
    }),
  );
}
