import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type ConfigSource,
  countProblems,
  loadConfig,
  type Problem,
  resolveSecrets,
  unsupportedDefaults,
  unsupportedFields,
} from '../config/index.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { KubexmError } from '../model/errors/index.ts';
import { Redactor } from '../observe/index.ts';
import type { Question } from '../plan/step.ts';
import { withLocalFiles } from './local-files.ts';

/** A configuration that cannot be used, with all its problems, to be shown in the reader's language. */
export class ConfigError extends KubexmError {
  readonly problems: readonly Problem[];
  readonly source: ConfigSource;

  constructor(file: string, problems: readonly Problem[], source: ConfigSource) {
    super('KX4025', { file, count: countProblems(problems).errors });
    this.problems = problems;
    this.source = source;
  }
}

/** A configuration ready for a run. */
export interface OpenConfig {
  readonly file: string;
  readonly cluster: Cluster;
  readonly warnings: readonly Problem[];
  readonly source: ConfigSource;
  /** The texts of its secrets, by the path of the field. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Knows them all, so that none gets out. */
  readonly redactor: Redactor;
}

/** Loads and checks a file with its overrides. Throws ConfigError with everything that is wrong. */
export async function openCluster(
  file: string,
  overrides: readonly string[] = [],
): Promise<{ cluster: Cluster; warnings: readonly Problem[]; source: ConfigSource }> {
  const { cluster, problems, source } = await loadConfig(file, overrides);
  if (!cluster) throw new ConfigError(file, problems, source);
  return { cluster: withLocalFiles(cluster, dirname(resolve(file))), warnings: problems, source };
}

/** What of a pipeline decides which configuration it takes. */
interface Acting {
  readonly name: string;
  readonly actsOn: readonly string[];
  readonly local?: boolean;
}

/** Loads a file for a pipeline: what the pipeline cannot act on is refused by name, all of it at once. */
export async function openFor(
  file: string,
  { name, actsOn }: Acting,
  overrides: readonly string[] = [],
): ReturnType<typeof openCluster> {
  const { cluster, warnings, source } = await openCluster(file, overrides);
  const refused = [
    ...unsupportedFields(source, actsOn, name),
    ...unsupportedDefaults({ cluster, source }, actsOn, name),
  ];
  if (refused.length > 0) throw new ConfigError(file, refused, source);
  return { cluster, warnings, source };
}

/** The same with its secrets resolved, ready for a run. */
export async function openConfig(
  file: string,
  pipeline: Acting,
  io: { readonly env: NodeJS.ProcessEnv; readonly ask: ((question: Question) => Promise<string>) | undefined },
  overrides: readonly string[] = [],
): Promise<OpenConfig> {
  const { cluster, warnings, source } = await openFor(file, pipeline, overrides);
  const { ask } = io;
  // Who connects to no host needs none of their passwords, and should not be asked for them.
  const wanted = pipeline.local ? (field: string) => !/^spec\.(hosts|ssh)\b/.test(field) : () => true;
  const { values, errors } = await resolveSecrets(
    cluster,
    {
      env: io.env,
      readFile: (path) => readFile(path, 'utf8'),
      ask: ask && ((text) => ask({ text, secret: true })),
    },
    wanted,
  );
  if (errors[0]) throw errors[0];
  const redactor = new Redactor();
  for (const text of values.values()) redactor.add(text);
  return { file, cluster, warnings, source, secrets: values, redactor };
}
