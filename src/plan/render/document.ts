import type { Json } from '../../model/json.ts';
import type { Mark } from '../../model/mark.ts';
import type { JoinNeeds, Link } from '../node.ts';
import type { Nature } from '../step.ts';

/** The format of a saved plan. A change that older readers would misread gets a new number. */
export const PLAN_VERSION = 'kubexm.io/plan/v1';

/** A position in `hostSets`. */
export type HostSetNumber = number;

/** What a step wants on some hosts of its node. */
export interface PlanStep {
  readonly hosts: HostSetNumber;
  readonly kind: string;
  readonly title: string;
  readonly nature: Nature;
  readonly once: boolean;
  /** Why it cannot be undone. */
  readonly irreversible?: string;
  /** Values of other nodes are `{"$ref": "id@host.member"}`; secret content is masked. */
  readonly want: Json;
}

/** A node of the plan. A step has `steps`, one for all its hosts unless they differ; a join has `needs`. */
export interface PlanNode {
  readonly id: string;
  readonly hosts: HostSetNumber;
  readonly module?: string;
  readonly task?: string;
  readonly tags: readonly string[];
  readonly mark?: Mark;
  readonly until?: string;
  readonly steps?: readonly PlanStep[];
  readonly needs?: JoinNeeds;
  /** The hosts whose majority or presence counts. */
  readonly voters?: HostSetNumber;
  /** The producer whose values of all hosts the join stands for. */
  readonly valuesOf?: string;
}

/** An edge of the plan between nodes of these ids, on these hosts. */
export interface PlanLink {
  readonly from: string;
  readonly to: string;
  readonly how: Link['how'];
  readonly on: HostSetNumber;
  /** Where a `spread` starts. */
  readonly fromHost?: string;
  /** Where a `gather` ends. */
  readonly toHost?: string;
}

/** A plan as it is saved: everything that can be shown about it, nothing secret. */
export interface PlanDocument {
  readonly apiVersion: typeof PLAN_VERSION;
  /** Equal plans have equal hashes. Secret content counts, though it is not shown. */
  readonly hash: string;
  readonly hostSets: readonly (readonly string[])[];
  readonly nodes: readonly PlanNode[];
  readonly links: readonly PlanLink[];
  readonly criticalPath: { readonly seconds: number; readonly nodes: readonly string[] };
}

/** A saved plan, read back; `undefined` when it is none, or of another version. */
export function readPlan(value: unknown): PlanDocument | undefined {
  if (!isObject(value) || value['apiVersion'] !== PLAN_VERSION || typeof value['hash'] !== 'string') return undefined;
  const { hostSets, nodes, links, criticalPath } = value;
  if (!isList(hostSets, (set) => isList(set, isText))) return undefined;
  const isSet = (one: unknown) => typeof one === 'number' && hostSets[one] !== undefined;
  const isStep = (one: unknown) =>
    isObject(one) && isSet(one['hosts']) && isText(one['kind']) && isText(one['title']) && 'want' in one;
  const isNode = (one: unknown) =>
    isObject(one) &&
    isText(one['id']) &&
    isSet(one['hosts']) &&
    isList(one['tags'], isText) &&
    (one['voters'] === undefined || isSet(one['voters'])) &&
    (isList(one['steps'], isStep) || isText(one['needs']));
  const isLink = (one: unknown) =>
    isObject(one) && isText(one['from']) && isText(one['to']) && isText(one['how']) && isSet(one['on']);
  const isPath = isObject(criticalPath) && isList(criticalPath['nodes'], isText);
  if (!isList(nodes, isNode) || !isList(links, isLink) || !isPath) return undefined;
  return value as unknown as PlanDocument;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isList(value: unknown, item: (one: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(item);
}
