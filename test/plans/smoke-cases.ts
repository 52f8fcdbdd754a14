import { readCatalog, resolveArtifacts } from '../../src/artifacts/catalog/index.ts';
import { smokeComponents, smokeEnd, smokeModule } from '../../src/module/smoke.ts';
import type { ExecutionFragment } from '../../src/plan/node.ts';
import { configFor, planContextFor } from '../support/plan-context.ts';

const text = configFor({ masters: 3, workers: 2 });
const { cluster } = await planContextFor(text);
const needs = resolveArtifacts(cluster, await readCatalog(), '', () => 'amd64', smokeComponents);
const artifacts = { needs, lock: {}, sources: [{ type: 'go' as const }], cacheDir: '/home/user/.cache/kubexm/artifacts' };
const context = await planContextFor(text, { artifacts, facts: () => ({ arch: 'amd64' }) });

/** The check of a cluster, and what happens in the end whatever came of it. */
export const smokeCases: Readonly<Record<string, () => ExecutionFragment>> = {
  'check-cluster': () => smokeModule.plan(context),
  'check-cluster-end': () => smokeEnd.plan(context),
};
