import { checkCluster, downloadArtifacts, type RunEvent, runPipeline } from '../../src/index.ts';
import { answer, arg } from './child.ts';

/** Gets what quickstart gets, or only the artifacts of the components that are named, as it does: with the library. */
const only = arg('only')
  .split(',')
  .filter((name) => name !== '');
const pipeline: typeof downloadArtifacts = {
  ...downloadArtifacts,
  usesArtifacts: checkCluster.usesArtifacts ?? true,
  plan: (context, params) => {
    const { artifacts } = context;
    if (artifacts === undefined || only.length === 0) return downloadArtifacts.plan(context, params);
    const needs = artifacts.needs.filter(({ component }) => only.includes(component));
    if (needs.length < only.length) throw new Error(`quickstart does not need all of ${only.join(', ')}`);
    return downloadArtifacts.plan({ ...context, artifacts: { ...artifacts, needs } }, params);
  },
};

let started: Extract<RunEvent, { type: 'run-started' }> | undefined;
const hear = (event: RunEvent): void => {
  if (event.type === 'run-started') started = event;
  if (event.type === 'node-started') process.stderr.write(`cold: ${event.title}\n`);
};
const began = performance.now();
const { outcome, failures } = await runPipeline(pipeline, undefined, {
  configFile: arg('config'),
  baseDir: arg('base'),
  sinks: [hear],
});
const [failure] = failures;
if (outcome !== 'succeeded') throw new Error(`the run ${outcome}: ${JSON.stringify(failure?.error)}`);
answer({ runSeconds: (performance.now() - began) / 1000, builds: started?.builds });
