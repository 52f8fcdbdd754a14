import { nearest } from '../model/cluster/nearest.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Json } from '../model/json.ts';
import type { ExecutionGraph } from '../plan/graph.ts';

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
