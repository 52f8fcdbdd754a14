import type { ArtifactLock, SourceSpec } from '../model/artifact-lock.ts';
import type { ArtifactNeed } from '../model/catalog/need.ts';
import type { Cluster } from '../model/cluster/index.ts';
import type { EventError } from '../model/event.ts';
import type { Facts } from '../model/facts.ts';
import type { HostManifest } from '../model/manifest.ts';
import { mapNodes, nothing, sequence } from './combinators.ts';
import type { ExecutionFragment, TaskInfo } from './node.ts';
import type { DedicatedStep } from './step.ts';

/** A host as planning sees it: its part of the configuration and what was read from it. */
export interface PlanHost {
  readonly name: string;
  readonly roles: readonly string[];
  readonly facts: Facts;
  /** It does not answer: its facts are the last known ones. */
  readonly isAway?: true;
}

/** What a cluster needs, what it has agreed on, and where it comes from. */
export interface PlanArtifacts {
  readonly needs: readonly ArtifactNeed[];
  readonly lock: ArtifactLock;
  readonly sources: readonly SourceSpec[];
  readonly cacheDir: string;
}

/** All that planning may look at. The same context always gives the same plan. */
export interface PlanContext {
  readonly cluster: Cluster;
  /** All hosts of the cluster whose facts are known. */
  readonly hosts: readonly PlanHost[];
  /** Those that this run may change. */
  readonly targets: readonly PlanHost[];
  /** The machine kubexm runs on. */
  readonly local: PlanHost;
  /** The hosts of a role, in the order of the file; the same array each time. */
  role(name: string): readonly PlanHost[];
  /** A value that is made once for this plan, by the function that asks for it. */
  once<T>(key: object, make: () => T): T;
  /** The cluster's work directory on the local machine. */
  readonly workDir: string;
  /** Answer every question with yes. */
  readonly assumeYes: boolean;
  /** What the cluster is installed from: for a pipeline that uses artifacts. */
  readonly artifacts?: PlanArtifacts;
  /** What was changed on the hosts, by name: for a pipeline that reads manifests. A host without one is not in it. */
  readonly manifests?: Readonly<Record<string, HostManifest>>;
  /** Hosts that do not answer, which are not among `hosts`, and why: where only checks are made, to tell of all at once. */
  readonly unreachable?: Readonly<Record<string, Pick<EventError, 'code' | 'params'>>>;
}

/** Keeps what is made once for a plan: `once` of a context. */
export function keepOnce(): PlanContext['once'] {
  const made = new Map<object, unknown>();
  return <T>(key: object, make: () => T): T => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key) as T;
  };
}

/** The same context for a run that may change all hosts. */
export function aboutAll(context: PlanContext): PlanContext {
  return { ...context, targets: context.hosts, once: keepOnce() };
}

/** What a task plans: a fragment, with the values it makes for others if it makes any. */
// biome-ignore lint/suspicious/noConfusingVoidType: `void` is how a task says that it makes no values.
export type Planned<Out> = [Out] extends [void] ? ExecutionFragment : WithOutputs<Out>;

/** A fragment together with the values it makes for others. */
type WithOutputs<Out> = ExecutionFragment & { readonly outputs: Out };

/** A fragment and the values that it makes for others. */
export function withOutputs<Out>(fragment: ExecutionFragment, outputs: Out): WithOutputs<Out> {
  return { ...fragment, outputs };
}

/** One goal: a fragment out of dedicated steps. Inputs and outputs are Refs. */
export interface TaskDefinition<In, Out> {
  /** `etcd/install` */
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The dedicated steps it is made of, for the reference. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of steps of any parameters.
  readonly steps: readonly DedicatedStep<any, any>[];
  readonly isRequired?: (context: PlanContext, inputs: In) => boolean;
  readonly plan: (context: PlanContext, inputs: In) => Planned<Out>;
  /** Undoes the task on a host as a whole, when undoing it step by step would not do. */
  readonly compensate?: (context: PlanContext, inputs: In) => ExecutionFragment;
}

/** A task as modules use it. */
export interface Task<In = void, Out = void> extends TaskDefinition<In, Out> {
  /** The task's part of the plan; without outputs when it is not required. */
  use(context: PlanContext, inputs: In): ExecutionFragment & { readonly outputs?: Out };
}

/** Defines a task. Its nodes get its name and tags. */
export function defineTask<In = void, Out = void>(definition: TaskDefinition<In, Out>): Task<In, Out> {
  const stamp = (fragment: ExecutionFragment, task: TaskInfo | undefined, prefix: string) =>
    mapNodes(fragment, (node) => ({
      ...node,
      id: `${prefix}/${node.id}`,
      task,
      tags: [...new Set([...definition.tags, ...node.tags])],
    }));
  return {
    ...definition,
    use(context, inputs) {
      if (definition.isRequired && !definition.isRequired(context, inputs)) return nothing();
      const compensate = definition.compensate?.(context, inputs);
      const info: TaskInfo = {
        id: definition.name,
        module: '',
        ...(compensate ? { compensate: stamp(compensate, undefined, `${definition.name}/undo`) } : {}),
      };
      return stamp(definition.plan(context, inputs), info, definition.name);
    },
  };
}

/** One domain: links the fragments of its tasks. */
export interface ModuleDefinition<In> {
  readonly name: string;
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: a list of tasks of any inputs.
  readonly tasks: readonly Task<any, any>[];
  /**
   * The fields, as patterns of `actsOn`, that only hold when the cluster is created: this module cannot apply another value
   * later, so a run on a cluster that exists is refused where they differ. Default none.
   */
  readonly fixed?: readonly string[];
  readonly plan: (context: PlanContext, inputs: In) => ExecutionFragment;
}

/** A module as pipelines use it. */
export type Module<In = void> = ModuleDefinition<In>;

/** Defines a module. Its tasks' nodes get its name; so do the ids of nodes between its tasks. */
export function defineModule<In = void>(definition: ModuleDefinition<In>): Module<In> {
  const module = definition.name;
  return {
    ...definition,
    plan(context, inputs) {
      const stamped = new Map<TaskInfo, TaskInfo>();
      const inModule = (task: TaskInfo): TaskInfo => {
        const known = stamped.get(task);
        if (known) return known;
        const undo = task.compensate && mapNodes(task.compensate, (node) => ({ ...node, module }));
        const made = { ...task, ...(undo ? { compensate: undo } : {}), module };
        stamped.set(task, made);
        return made;
      };
      return mapNodes(definition.plan(context, inputs), (node) =>
        node.task ? { ...node, task: inModule(node.task) } : { ...node, id: `${module}/${node.id}`, module },
      );
    },
  };
}

/** A module of one task. */
export function moduleOf<In = void>(
  name: string,
  description: string,
  task: Task<In>,
  more: Pick<ModuleDefinition<In>, 'fixed'> = {},
): Module<In> {
  return defineModule({
    name,
    description,
    tasks: [task],
    plan: (context, inputs) => task.use(context, inputs),
    ...more,
  });
}

/**
 * How a pipeline deals with the machines.
 * `inspect`: takes no locks, owns nothing, goes on with the hosts that answer.
 * `change`: takes the locks of the cluster and its hosts; what it changes is written into their manifests.
 * `undo`: takes the locks, and plans from the manifests.
 */
export type Policy = 'inspect' | 'change' | 'undo';

/** The part of a cluster that a run is about. */
export interface Scope {
  /** The only tasks that take part. Default: all. */
  readonly tasks?: readonly string[];
  /** The only hosts that are changed; the local machine always takes part. Default: all. */
  readonly targets?: readonly string[];
}

/** One intent of the user: a list of modules. */
export interface PipelineDefinition<P> {
  /** As on the command line: `create cluster`. */
  readonly name: string;
  readonly description: string;
  /** The configuration it acts on, as paths with `*` and `**`; whatever else the user set is refused by name. */
  readonly actsOn: readonly string[];
  readonly modules: readonly Module<never>[];
  readonly plan?: (context: PlanContext, params: P) => ExecutionFragment;
  /** How it deals with the machines. Default: `change`. */
  readonly policy?: Policy;
  /**
   * Gets or uses what the cluster is installed from; names: those of further components of the catalog, for all nodes.
   * Default false.
   */
  readonly usesArtifacts?: boolean | readonly string[];
  /** Works on the machine kubexm runs on alone: no host is connected, and no secret of hosts is asked for. Default false. */
  readonly local?: boolean;
  /**
   * Is about every host that the cluster ever changed: it goes on without those that do not answer, and one that is not in the file
   * any more counts as unreachable. Default false.
   */
  readonly everyHost?: boolean;
  /**
   * Modules that look and change nothing. When some hosts do not answer they are run on the others before the run is refused, so
   * that all problems are known at once. Default: none.
   */
  readonly checks?: (params: P) => readonly Module[];
  /** The part of the cluster that a run is about. Default: all of it. */
  readonly scope?: (params: P) => Scope;
  /** Run at the end whatever happened. */
  readonly finalizers?: (context: PlanContext, params: P) => ExecutionFragment;
}

/** A pipeline as the library runs it. */
export interface Pipeline<P = void> extends PipelineDefinition<P> {
  readonly plan: (context: PlanContext, params: P) => ExecutionFragment;
}

/** Defines a pipeline. Without a `plan` of its own, its modules follow one another. */
export function definePipeline<P = void>(definition: PipelineDefinition<P>): Pipeline<P> {
  const inOrder = (context: PlanContext) =>
    sequence(...definition.modules.map((one) => one.plan(context, undefined as never)));
  return { ...definition, plan: definition.plan ?? inOrder };
}
