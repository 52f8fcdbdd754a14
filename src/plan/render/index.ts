export { diffPlans, type PlanDiff, planDiffLines } from './diff-plans.ts';
export { type PlanDocument, readPlan } from './document.ts';
export { renderDot } from './dot.ts';
export { renderJson } from './json.ts';
export { renderMermaid } from './mermaid.ts';
export { renderText } from './text.ts';
