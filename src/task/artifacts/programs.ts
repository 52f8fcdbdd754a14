import type { Arch } from '../../model/catalog/schema.ts';
import { on, parallel } from '../../plan/combinators.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member, type Ref } from '../../plan/ref.ts';
import { resourcesOf } from '../../resource/index.ts';
import { installProgram } from '../../step/artifacts.ts';

/** Programs of a component on hosts, each with the build for its processor. */
export function programs(
  context: PlanContext,
  hosts: readonly PlanHost[],
  component: string,
  names: readonly string[],
  directory: string,
): ExecutionFragment {
  const nodes = names.map((name) =>
    on(
      hosts,
      (host) => installProgram({ artifact: programRef(context, component, name, host), path: `${directory}/${name}` }),
      { name: `program-${name}` },
    ),
  );
  return parallel(...nodes);
}

/** All programs that a cluster needs of a component, by name. */
export function programNames(context: PlanContext, component: string): readonly string[] {
  const found = resourcesOf(context).all.filter((one) => one.component === component && one.item.kind === 'program');
  return [...new Set(found.map(({ item }) => item.name))];
}

/** The digest of a program: what a service that runs it must have been started with. */
export function programDigest(context: PlanContext, component: string, name: string, host: PlanHost): Ref<string> {
  return member(programRef(context, component, name, host), 'sha256');
}

function programRef(context: PlanContext, component: string, name: string, { facts }: PlanHost) {
  return resourcesOf(context)
    .program(component, name, facts.arch as Arch)
    .ref();
}
