import type { HostManifest, ManifestEntry } from '../../model/manifest.ts';
import { marked, nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import type { AnyStep } from '../../plan/step.ts';
import { resetSteps, unitsOf } from '../../step/reset.ts';

/** Which hosts are meant, and how. */
export interface ResetInputs {
  readonly nodes: readonly string[];
  /** What cannot be undone stays, is reported, and is forgotten. */
  readonly leave?: boolean;
  /** These are all hosts of the cluster: none of it goes on. */
  readonly whole?: boolean;
}

/** The tasks of `reset`. `more`: kinds of steps beside the generic ones that entries may be of. */
export function resetTasks(more: readonly AnyStep[]) {
  const { undo, forget } = resetSteps(more);
  const undoTask = defineTask<ResetInputs>({
    name: 'reset/undo',
    description: 'Undo what the manifests say, the last change first.',
    tags: ['undo'],
    steps: [undo],
    plan: (context, inputs) => {
      const chains = hostsOf(context, inputs).map((host) => {
        const entries = manifestOf(context, host.name)?.entries ?? [];
        const how = {
          ...(inputs.leave === true ? { leave: true as const } : {}),
          ...(inputs.whole === true ? { whole: true as const } : {}),
        };
        const nodes = entries
          .toReversed()
          .map((entry) => undone(entry, on([host], { ...undo({ ...change(entry), ...how }), name: nameOf(entry) })));
        return nodes.length === 0 ? nothing() : sequence(...nodes);
      });
      return parallel(...chains);
    },
  });
  const forgetTask = defineTask<ResetInputs>({
    name: 'reset/forget',
    description: 'Remove the manifests and every trace of kubexm.',
    tags: ['forget'],
    steps: [forget],
    plan: (context, inputs) => {
      const traces = on(hostsOf(context, inputs), (host) => {
        const manifest = manifestOf(context, host.name);
        return forget({ uid: manifest?.uid ?? '-', units: unitsOf(manifest?.entries ?? []) });
      });
      return traces;
    },
  });
  return { undoTask, forgetTask };
}

function hostsOf(context: PlanContext, inputs: ResetInputs) {
  return context.hosts.filter((host) => inputs.nodes.includes(host.name));
}

function manifestOf(context: PlanContext, host: string): HostManifest | undefined {
  return context.manifests?.[host];
}

/** What undoing an entry needs of it. */
function change({ mark: _mark, ...rest }: ManifestEntry): ManifestEntry {
  return rest;
}

function undone({ mark }: ManifestEntry, fragment: ExecutionFragment): ExecutionFragment {
  return mark === 'cluster-begun' || mark === 'node-joined' ? marked('node-removed', fragment) : fragment;
}

/** `000012-etcd-install-unit`: the number keeps it apart, the rest says what it is. */
function nameOf(entry: ManifestEntry): string {
  return `${entry.seq}-${entry.node.replaceAll(/[^A-Za-z0-9.-]+/g, '-')}`;
}
