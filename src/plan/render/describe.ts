import type { Json, JsonObject } from '../../model/json.ts';
import { MASK } from '../../model/text/mask.ts';
import type { ExecutionGraph } from '../graph.ts';
import { isRef, type NodeKey, type Ref, refText, wantJson } from '../ref.ts';
import { fieldOf, type Nature, type StepUse } from '../step.ts';

/** A step as people and saved plans see it: without any secret. */
export interface StepText {
  readonly kind: string;
  readonly title: string;
  readonly nature: Nature;
  readonly once: boolean;
  /** Why it cannot be undone. */
  readonly irreversible: string | undefined;
}

/** The id of a node of the plan, by its key. */
export function idsOf(graph: Pick<ExecutionGraph, 'nodes' | 'indexOf'>): (key: NodeKey) => string {
  return (key) => graph.nodes[graph.indexOf(key) ?? -1]?.id ?? key.name;
}

/** What a step says about itself. Values that come from other nodes stand in it by name. */
export function describeUse(use: StepUse, id: (key: NodeKey) => string): StepText {
  const want = shownWant(use.want, id);
  const { step } = use;
  return {
    kind: step.kind,
    title: tried(() => step.title(want), use.name),
    nature: tried(() => fieldOf<unknown, Nature>(step.nature, want, 'state'), 'state'),
    once: step.once === true,
    irreversible: tried(() => fieldOf<unknown, string | undefined>(step.irreversible, want, undefined), undefined),
  };
}

/** A step's want for a saved plan: Refs as `{"$ref": …}`, what is marked secret masked. */
export function savedWant(use: StepUse, id: (key: NodeKey) => string): Json {
  return maskContent(wantJson(use.want, id));
}

/** In an object with `secret: true`, `content` is nobody's business. Where it comes from is. */
function maskContent(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(maskContent);
  const object = value as JsonObject;
  return Object.fromEntries(
    Object.entries(object).map(([name, item]) => [
      name,
      object['secret'] === true && name === 'content' && !isSavedRef(item) ? MASK : maskContent(item),
    ]),
  );
}

function isSavedRef(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && '$ref' in value;
}

/** A want that a title can be made of: Refs are texts, secrets are masked. */
function shownWant(value: unknown, id: (key: NodeKey) => string): unknown {
  if (isRef(value)) return shownRef(value, id);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => shownWant(item, id));
  const secret = 'secret' in value && value.secret === true;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secret && name === 'content' && !isRef(item) ? MASK : shownWant(item, id),
    ]),
  );
}

function shownRef(ref: Ref<unknown>, id: (key: NodeKey) => string): string {
  return `‹${refText(ref, id)}›`;
}

/** A step's own words about a want whose Refs have no value yet may fail: then the plan says less. */
function tried<T>(make: () => T, otherwise: T): T {
  try {
    return make();
  } catch {
    return otherwise;
  }
}
