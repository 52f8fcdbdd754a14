import type { Json } from '../model/json.ts';

/** The part of a pipeline that a run is about, as it was asked for: a resumed run must be about the same. */
export function selectionOf(options: {
  readonly tags?: readonly string[];
  readonly skipTags?: readonly string[];
}): Json {
  return { tags: [...(options.tags ?? [])].sort(), skipTags: [...(options.skipTags ?? [])].sort() };
}
