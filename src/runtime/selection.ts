import { nearest } from '../model/cluster/nearest.ts';
import { kubexmError, type Text } from '../model/errors/index.ts';
import type { Json } from '../model/json.ts';
import type { ExecutionGraph } from '../plan/graph.ts';

/** Said when tags leave out the checks before the first change. */
export const CHECKS_LEFT_OUT: Text = {
  en: 'The selected tags leave out the preflight checks: nothing looks at the hosts before they are changed.',
  zh: '所选标签不包含预检：更改主机之前不会进行检查。',
};

interface Tags {
  readonly tags?: readonly string[];
  readonly skipTags?: readonly string[];
}

/** The part of a pipeline that a run is about, as it was asked for: a resumed run must be about the same. */
export function selectionOf(options: Tags): Json {
  return { tags: [...(options.tags ?? [])].sort(), skipTags: [...(options.skipTags ?? [])].sort() };
}

/** Refuses tags that nothing in the plan has: a run that did nothing because of a typing mistake would look like a success. */
export function checkTags(graph: ExecutionGraph, options: Tags): void {
  const known = new Set(graph.nodes.flatMap((node) => node.tags));
  for (const tag of [...(options.tags ?? []), ...(options.skipTags ?? [])]) {
    if (known.has(tag)) continue;
    const near = nearest(tag, known);
    const others = [...known].filter((one) => one !== near).sort();
    throw kubexmError('KX4028', { tag, tags: [...(near === undefined ? [] : [near]), ...others].join(', ') || '–' });
  }
}
