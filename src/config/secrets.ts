import type { Cluster } from '../model/cluster/cluster.ts';
import type { Secret } from '../model/cluster/secret.ts';
import { type ErrorCode, type ErrorParams, KubexmError, kubexmError } from '../model/errors/index.ts';
import { eachSecret } from './rules/secrets.ts';

/** Where the text of secrets comes from. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
  /** Asks a person without showing the answer; undefined where nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** The text of secrets by `Secret.at`, and what could not be had. */
export interface ResolvedSecrets {
  readonly values: ReadonlyMap<string, string>;
  readonly errors: readonly KubexmError[];
}

/** Every secret of a cluster, each field once, in the order of the file. */
export function listSecrets(cluster: Cluster): readonly Secret[] {
  const found = new Map<string, Secret>();
  eachSecret(cluster, [], (secret) => {
    if (!found.has(secret.at)) found.set(secret.at, secret);
  });
  return [...found.values()];
}

/** Gets the text of every secret that is wanted. The same variable, file or labelled prompt is only asked for once. */
export async function resolveSecrets(
  cluster: Cluster,
  sources: SecretSources,
  wanted: (field: string) => boolean = () => true,
): Promise<ResolvedSecrets> {
  const values = new Map<string, string>();
  const errors: KubexmError[] = [];
  const fetched = new Map<string, string | KubexmError>();
  for (const secret of listSecrets(cluster)) {
    if (!wanted(secret.at)) continue;
    const key = secret.kind === 'inline' || secret.toString() === 'prompt' ? secret.at : secret.toString();
    const known = fetched.get(key);
    const value = known ?? (await fetchSecret(secret, sources));
    fetched.set(key, value);
    if (typeof value === 'string') values.set(secret.at, value);
    else if (known === undefined) errors.push(value);
  }
  return { values, errors };
}

async function fetchSecret(secret: Secret, sources: SecretSources): Promise<string | KubexmError> {
  const { at: field, name } = secret;
  switch (secret.kind) {
    case 'inline':
      return secret.inlineText() ?? '';
    case 'env': {
      const value = sources.env[name];
      if (value === undefined) return failed('KX2801', { field, name });
      return value === '' ? failed('KX2803', { field, name: secret.toString() }) : value;
    }
    case 'file':
      return readSecret(secret, sources);
    case 'prompt':
      return askSecret(secret, sources);
  }
}

async function readSecret(
  { at: field, name }: Secret,
  { env, readFile }: SecretSources,
): Promise<string | KubexmError> {
  const path = name.startsWith('~/') && env['HOME'] !== undefined ? env['HOME'] + name.slice(1) : name;
  try {
    const value = (await readFile(path)).replace(/\r?\n$/, '');
    return value === '' ? failed('KX2803', { field, name: `file:${name}` }) : value;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return failed('KX2802', { field, name, reason: code ?? message });
  }
}

async function askSecret({ at: field, name }: Secret, { ask }: SecretSources): Promise<string | KubexmError> {
  if (ask === undefined) return failed('KX2804', { field });
  try {
    const value = await ask(name === '' ? field : name);
    return value === '' ? failed('KX2803', { field, name: 'prompt' }) : value;
  } catch (error) {
    return error instanceof KubexmError ? error : kubexmError('KX2804', { field }, { cause: error });
  }
}

function failed<C extends ErrorCode>(code: C, params: ErrorParams<C>): KubexmError {
  return kubexmError(code, params);
}
