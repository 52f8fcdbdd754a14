import type { ClusterPlace, LiveCluster } from '../index.ts';
import { askPerson } from './ask.ts';
import type { Call } from './command-spec.ts';
import { sshOf } from './run-options.ts';

/** Asks a cluster how it is, with the flags of a command. */
export async function askLive({ configFile, baseDir, overrides = [] }: ClusterPlace, call: Call): Promise<LiveCluster> {
  const { io } = call;
  const { askCluster } = await import('../index.ts');
  return askCluster({
    configFile,
    baseDir,
    overrides,
    ssh: sshOf(call),
    env: io.env,
    ask: (question) => askPerson(question, io),
  });
}
