export * from './combinators.ts';
export * from './diff.ts';
export type { ExecutionGraph } from './graph.ts';
export * from './layers.ts';
export type { ExecutionFragment, ExecutionNode, JoinNeeds } from './node.ts';
export { criticalPath, weighed } from './order.ts';
export { member, type Ref, type Wanted } from './ref.ts';
export * from './render/index.ts';
export {
  type DedicatedStep,
  dedicated,
  defineStep,
  half,
  needed,
  type Question,
  type Retry,
  type Step,
  type StepDefinition,
  type StepIo,
  type StepUse,
  satisfied,
  type Verdict,
} from './step.ts';
