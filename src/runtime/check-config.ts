import { access, constants, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { catalogProblems, readCatalog, zoneOf } from '../artifacts/catalog/index.ts';
import {
  type LoadedConfig,
  loadConfig,
  type NamedFile,
  namedFiles,
  problemOf,
  resolveSecrets,
  tidy,
  unsupportedDefaults,
  unsupportedFields,
} from '../config/index.ts';
import { type KubexmError, kubexmError } from '../model/errors/index.ts';
import { inHome } from './targets.ts';

/** What of a pipeline decides which configuration it takes. */
interface Acting {
  readonly name: string;
  readonly actsOn: readonly string[];
}

/**
 * Loads a configuration and says everything about it that can be known without its hosts: beside what is wrong in itself, what the
 * pipeline cannot act on, versions that the catalog does not have, files that cannot be read, variables that are not set.
 */
export async function checkConfig(
  file: string,
  { name, actsOn }: Acting,
  options: { readonly env: NodeJS.ProcessEnv; readonly overrides?: readonly string[] | undefined },
): Promise<LoadedConfig> {
  const loaded = await loadConfig(file, options.overrides);
  const { cluster, source } = loaded;
  if (cluster === undefined) return loaded;
  const { env } = options;
  const errors = [
    ...catalogProblems(cluster, await readCatalog(), zoneOf(cluster, env)),
    ...(await unreadable(namedFiles(source.tree), dirname(resolve(file)), env)),
    ...(await missingSecrets(cluster, env)),
  ];
  const found = [
    ...unsupportedFields(source, actsOn, name),
    ...unsupportedDefaults({ cluster, source }, actsOn, name),
    ...errors.map((error) => problemOf(error, source)),
  ];
  const problems = tidy([...loaded.problems, ...found]);
  return { ...(found.length === 0 ? { cluster } : {}), problems, source };
}

async function unreadable(
  files: readonly NamedFile[],
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly KubexmError[]> {
  const checked = new Map<string, Promise<string | undefined>>();
  const found = files.map(async ({ field, name, besideConfig }) => {
    const path = besideConfig ? resolve(directory, inHome(name, env)) : resolve(inHome(name, env));
    const reason = checked.get(path) ?? reasonOf(path);
    checked.set(path, reason);
    const said = await reason;
    return said === undefined ? [] : [kubexmError('KX2805', { field, name, reason: said })];
  });
  return (await Promise.all(found)).flat();
}

async function reasonOf(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** What a person is asked for is there when somebody asks. */
async function missingSecrets(
  cluster: NonNullable<LoadedConfig['cluster']>,
  env: NodeJS.ProcessEnv,
): Promise<readonly KubexmError[]> {
  const { errors } = await resolveSecrets(cluster, {
    env,
    readFile: (path) => readFile(path, 'utf8'),
    ask: () => Promise.resolve('?'),
  });
  return errors;
}
