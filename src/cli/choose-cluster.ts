import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Context } from '../index.ts';
import { cliError } from './cli-error.ts';
import type { Call } from './command-spec.ts';

/** The cluster a command is about. */
export interface ClusterChoice {
  readonly configFile: string;
  /** Where its `.kubexm` is. */
  readonly baseDir: string;
  /** Fields that hold instead of the file's. */
  readonly overrides?: readonly string[];
  /** The lab whose machines they are: it is not remembered, for it is gone with the lab. */
  readonly lab?: string;
}

/** The cluster that is meant: the file given, the one named by a flag or an argument, or the current context. */
export async function chooseCluster(call: Call, argument?: string): Promise<ClusterChoice> {
  return { ...(await placeOf(call, argument)), overrides: call.options.list('extraVars') };
}

async function placeOf(call: Call, argument: string | undefined): Promise<ClusterChoice> {
  const { options, io } = call;
  const file = options.text('file');
  const flag = options.text('clusterName');
  if (flag !== undefined && argument !== undefined)
    throw cliError('KX1008', { first: '--cluster-name', second: argument });
  const name = flag ?? argument;
  const lab = options.text('lab');
  if (file !== undefined && name !== undefined) throw cliError('KX1008', { first: '--file', second: '--cluster-name' });
  if (lab !== undefined) {
    const other = file !== undefined ? '--file' : name !== undefined ? '--cluster-name' : undefined;
    if (other !== undefined) throw cliError('KX1008', { first: '--lab', second: other });
    return labCluster(call, lab);
  }
  if (file !== undefined) return { configFile: resolve(io.cwd, file), baseDir: io.cwd };
  const context = await contextNamed(call, name);
  if (context === undefined) throw cliError('KX1020', {});
  return { configFile: context.configFile, baseDir: context.baseDir };
}

/** The machines of a lab as a cluster. Everything about it stays in the lab's own directory, and goes with it. */
async function labCluster({ io }: Call, name: string): Promise<ClusterChoice> {
  const { keepLabConfig, openLab } = await import('../index.ts');
  const lab = await openLab(name, { env: io.env });
  return { configFile: await keepLabConfig(lab), baseDir: lab.dir, lab: name };
}

/** Where the runs to look at are kept, and of which cluster. */
export async function chooseHistory(call: Call): Promise<{ readonly baseDir: string; readonly cluster?: string }> {
  const { options, io } = call;
  const file = options.text('file');
  const name = options.text('clusterName');
  const lab = options.text('lab');
  if (lab !== undefined) {
    const { openLab } = await import('../index.ts');
    return { baseDir: (await openLab(lab, { env: io.env })).dir };
  }
  if (file !== undefined) {
    const { openCluster } = await import('../index.ts');
    return { baseDir: io.cwd, cluster: (await openCluster(resolve(io.cwd, file))).cluster.metadata.name };
  }
  if (name !== undefined) {
    if (existsSync(join(io.cwd, '.kubexm', basename(name)))) return { baseDir: io.cwd, cluster: name };
    return { baseDir: (await contextNamed(call, name))?.baseDir ?? io.cwd, cluster: name };
  }
  if (existsSync(join(io.cwd, '.kubexm'))) return { baseDir: io.cwd };
  return { baseDir: (await contextNamed(call, undefined))?.baseDir ?? io.cwd };
}

async function contextNamed({ io }: Call, name: string | undefined): Promise<Context | undefined> {
  const { readContexts } = await import('../index.ts');
  const { current, contexts } = readContexts(io.env);
  const wanted = name ?? current;
  const found = contexts.find((context) => context.name === wanted);
  if (found === undefined && name !== undefined) {
    const among = contexts.map((context) => context.name);
    throw cliError('KX1021', { name, names: among.join(', ') || '–' }, { similar: { word: name, among } });
  }
  return found;
}
