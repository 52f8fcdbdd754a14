import type { Question } from '../plan/step.ts';
import { openConfig } from '../state/open-config.ts';
import { makeWorkDir } from '../state/work-dir.ts';
import { type Connected, type ConnectOptions, connectHosts } from './connect.ts';
import { selectHosts } from './select-hosts.ts';

/** Which hosts are meant, and how they are reached. */
export interface WithHostsOptions extends Omit<ConnectOptions, 'env' | 'ask'> {
  readonly configFile: string;
  readonly baseDir?: string;
  /** Fields that hold instead of the file's, as `path=value`. */
  readonly overrides?: readonly string[];
  readonly nodes?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly ask?: (question: Question) => Promise<string>;
}

/** Connects to hosts, outside of any run. `name`: of the command, for messages about its configuration. */
export async function withHosts<T>(
  name: string,
  options: WithHostsOptions,
  work: (connected: Connected) => Promise<T>,
): Promise<T> {
  const env = options.env ?? process.env;
  const pipeline = { name, actsOn: ['**'] };
  const config = await openConfig(options.configFile, pipeline, { env, ask: options.ask }, options.overrides);
  const workDir = makeWorkDir(options.baseDir ?? process.cwd(), config.cluster.metadata.name);
  const connected = await connectHosts(config, selectHosts(config.cluster, options.nodes ?? []), workDir, {
    ...options,
    env,
  });
  try {
    return await work(connected);
  } finally {
    await connected.close();
  }
}
