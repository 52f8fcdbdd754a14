import { resourcesOf } from '../../artifacts/handles/index.ts';
import type { Arch } from '../../model/catalog/schema.ts';
import { nothing, on } from '../../plan/combinators.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member, type Ref } from '../../plan/ref.ts';
import { installPrograms } from '../../step/artifacts.ts';

/** Programs of a component on hosts, each with the build for its processor. Masters may have `more`. */
export function programs(
  context: PlanContext,
  hosts: readonly PlanHost[],
  component: string,
  names: readonly string[],
  directory: string,
  more: readonly string[] = [],
): ExecutionFragment {
  if (names.length === 0) return nothing();
  const namesOn = ({ roles }: PlanHost) => (roles.includes('master') ? [...names, ...more] : names);
  const artifactsOf = (host: PlanHost) =>
    Object.fromEntries(namesOn(host).map((name) => [name, programRef(context, component, name, host)]));
  return on(hosts, (host) => installPrograms({ artifacts: artifactsOf(host), directory }), {
    name: `programs-${component}`,
  });
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
