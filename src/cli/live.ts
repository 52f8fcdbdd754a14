import type { ClusterPlace, LiveCluster } from '../index.ts';
import type { Call } from './command-spec.ts';
import { connecting } from './connecting.ts';
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
    ...connecting(io),
  });
}
