/** What a program does with kubexm as a library: loads a configuration, plans with known facts, prints the plan. */
import { readFileSync } from 'node:fs';
import {
  type Cluster,
  createCluster,
  criticalPath,
  type ErrorParams,
  type Facts,
  KubexmError,
  kubexmError,
  loadConfig,
  planPipeline,
  type RunEvent,
  type RunPipelineOptions,
  recordContext,
  renderText,
  runPipeline,
} from 'kubexm';

const configFile = 'cluster.yaml';
const { cluster, problems } = await loadConfig(configFile);
if (cluster === undefined) throw new Error(JSON.stringify(problems));
process.stdout.write(`${describe(cluster)}\n`);

const facts = JSON.parse(readFileSync('facts.json', 'utf8')) as Readonly<Record<string, Facts>>;
const { graph } = await planPipeline(createCluster, { skipPreflight: true }, { configFile, facts });
process.stdout.write(renderText(graph, { width: 100 }));
process.stdout.write(`the longest path takes ${criticalPath(graph).seconds} s\n`);

try {
  await planPipeline(createCluster, { skipPreflight: true }, { configFile, facts: {} });
} catch (error) {
  if (!(error instanceof KubexmError)) throw error;
  process.stdout.write(`${error.code}: ${error.message}\n`);
}

recordContext(process.env, { name: cluster.metadata.name, configFile, baseDir: process.cwd() });

function describe({ metadata, spec }: Cluster): string {
  return `${metadata.name}: ${spec.hosts.map(({ name, roles }) => `${name} (${roles.join(', ')})`).join(', ')}`;
}

// The compiler checks the rest; nothing of it runs.

/** Runs the plan, and says what fails. */
export async function create(options: RunPipelineOptions): Promise<number> {
  const hear = (event: RunEvent): void => {
    if (event.type === 'node-finished' && event.outcome === 'failed') process.stderr.write(`${event.node} failed\n`);
  };
  const { changes } = await runPipeline(createCluster, { skipPreflight: false }, { ...options, sinks: [hear] });
  return changes;
}

/** The parameters of an error are those of its texts. */
export function failed(node: string): KubexmError {
  const params: ErrorParams<'KX4002'> = { node, reason: 'it is broken' };
  // @ts-expect-error a parameter is missing
  kubexmError('KX4002', { node });
  // @ts-expect-error there is no such code
  kubexmError('KX0000', {});
  return kubexmError('KX4002', params);
}
