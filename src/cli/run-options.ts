import { resolve } from 'node:path';
import type { Cluster, KeyRing, RunPipelineOptions } from '../index.ts';
import { type ClusterChoice, chooseCluster } from './choose-cluster.ts';
import { cliError } from './cli-error.ts';
import type { Call, CommandSpec, OptionSpec } from './command-spec.ts';
import { configOptions } from './shared-options.ts';

/** How a run is shown: `auto` is live on a terminal and plain elsewhere; `json` is one event per line on stdout. */
export type ViewName = 'auto' | 'live' | 'plain' | 'json';

/** What the flags of a run come to. */
export interface RunFlags {
  readonly configFile: string;
  readonly baseDir: string;
  /** The lab it runs on, if it is one. */
  readonly lab?: string;
  readonly dryRun: boolean;
  readonly resume: boolean | string;
  readonly onFailure: 'keep' | 'rollback';
  readonly tags: readonly string[];
  readonly skipTags: readonly string[];
  readonly ssh: { readonly user?: string; readonly privateKeyPath?: string };
  /** Keys that were opened before the run: they are not asked for again. */
  readonly keys?: KeyRing;
  readonly detailedExitcode: boolean;
  readonly view: ViewName;
  /** Fields that hold instead of the file's. */
  readonly overrides?: readonly string[];
  /** Looks at the plan before it runs. */
  readonly planning?: Pick<RunPipelineOptions, 'onPlanned'>;
  /** Connect only to these. */
  readonly hosts?: (cluster: Cluster) => readonly string[];
  /** The words as typed, for the command that resumes. */
  readonly argv: readonly string[];
}

/** How kubexm logs in, where the configuration should not decide. */
export const sshOptions: readonly OptionSpec[] = [
  { flags: '--ssh-user <user>', text: 'opt.ssh-user' },
  { flags: '-i, --ssh-private-key <path>', text: 'opt.ssh-private-key', kind: 'file' },
];

/** The flags that every pipeline understands. */
export const runOptions: readonly OptionSpec[] = [
  ...configOptions,
  { flags: '--dry-run', text: 'opt.dry-run' },
  { flags: '--resume [run]', text: 'opt.resume', kind: 'run' },
  { flags: '--on-failure <what>', text: 'opt.on-failure', choices: ['rollback', 'keep'], default: 'rollback' },
  { flags: '--tags <tags>', text: 'opt.tags', list: true, kind: 'tag' },
  { flags: '--skip-tags <tags>', text: 'opt.skip-tags', list: true, kind: 'tag' },
  ...sshOptions,
  { flags: '--detailed-exitcode', text: 'opt.detailed-exitcode' },
  { flags: '-o, --output <view>', text: 'opt.view', choices: ['auto', 'live', 'plain', 'json'], default: 'auto' },
];

/** The flags of a pipeline that is run as a whole. */
export const wholeRunOptions: readonly OptionSpec[] = [
  ...configOptions,
  { flags: '--dry-run', text: 'opt.dry-run' },
  { flags: '--resume [run]', text: 'opt.resume', kind: 'run' },
  ...sshOptions,
  { flags: '-o, --output <view>', text: 'opt.view', choices: ['auto', 'live', 'plain', 'json'], default: 'auto' },
];

/** Gives a command the flags that every pipeline understands. */
export function addRunOptions(command: CommandSpec): CommandSpec {
  return { ...command, options: [...(command.options ?? []), ...runOptions] };
}

/** Reads those flags. `chosen`: the cluster, where they do not say it. */
export async function runFlags(call: Call, chosen?: ClusterChoice): Promise<RunFlags> {
  const { options, argv } = call;
  const dryRun = options.flag('dryRun');
  const resume = options.optional('resume') ?? false;
  if (dryRun && resume !== false) throw cliError('KX1008', { first: '--dry-run', second: '--resume' });
  return {
    ...(chosen ?? (await chooseCluster(call))),
    dryRun,
    resume,
    onFailure: options.text('onFailure') === 'keep' ? 'keep' : 'rollback',
    tags: options.list('tags'),
    skipTags: options.list('skipTags'),
    ssh: sshOf(call),
    detailedExitcode: options.flag('detailedExitcode'),
    view: options.text('output') as ViewName,
    argv,
  };
}

/** How to log in, as the flags say. */
export function sshOf({ options, io }: Call): RunFlags['ssh'] {
  const user = options.text('sshUser');
  const key = options.text('sshPrivateKey');
  return {
    ...(user === undefined ? {} : { user }),
    ...(key === undefined ? {} : { privateKeyPath: resolve(io.cwd, key) }),
  };
}
