// Run in a copy of the sources that has one more component: what does the program know of it?
import { readFileSync } from 'node:fs';
import { createCluster, planPipeline, reference, renderJson, taskNames } from './src/index.ts';

const facts = JSON.parse(readFileSync('facts.json', 'utf8'));
const { graph, artifacts } = await planPipeline(
  createCluster,
  { skipPreflight: false },
  { configFile: 'cluster.yaml', facts },
);
const { nodes } = renderJson(graph);
const { tasks, dedicatedSteps } = reference();
const wants = (id) => nodes.filter((node) => node.id.startsWith(id)).map((node) => JSON.stringify(node));
process.stdout.write(
  JSON.stringify({
    planned: nodes.map(({ id }) => id).filter((id) => id.includes('echo')),
    preflight: wants('preflight/').filter((text) => text.includes('echo_kernel')).length,
    ports: wants('preflight/').filter((text) => text.includes('7007')).length,
    artifacts: artifacts.needs
      .filter(({ component }) => component === 'echo')
      .flatMap(({ images }) => images.map(({ name }) => name)),
    reported: wants('cluster/').filter((text) => text.includes('"echo"')).length,
    deleted: wants('kubernetes/kubelet').filter((text) => text.includes('/run/echo')).length,
    tasks: tasks.filter(({ name }) => name.includes('echo')).map(({ name }) => name),
    steps: dedicatedSteps
      .filter(({ description }) => description.includes('echo'))
      .map(({ description }) => description),
    single: taskNames.filter((name) => name.includes('echo')),
  }),
);
