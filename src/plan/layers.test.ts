import { describe, expect, it } from 'vitest';
import { contextOf, demo, step, touch } from '../../test/plans/fixtures.ts';
import { barrier, nothing, on, parallel, sequence } from './combinators.ts';
import { buildGraph } from './graph.ts';
import {
  defineModule,
  definePipeline,
  defineTask,
  type PlanContext,
  type TaskDefinition,
  withOutputs,
} from './layers.ts';
import type { ExecutionFragment } from './node.ts';
import type { Ref } from './ref.ts';

const context = contextOf({ store: ['a', 'b'] });

const task = (name: string, tags: readonly string[] = [], more: Partial<TaskDefinition<void, void>> = {}) =>
  defineTask<void, void>({
    name,
    description: 'x',
    tags,
    steps: [demo.unit],
    plan: (planning: PlanContext) => on(planning.role('store'), demo.unit({ content: '' }), { tags: ['unit', 'x'] }),
    ...more,
  });

const ids = (fragment: ExecutionFragment) => [...fragment.nodes.values()].map((node) => node.id);

describe('a task', () => {
  it('gives its nodes its name and tags, each tag once', () => {
    const fragment = task('store/install', ['store', 'x']).use(context);
    const [node] = fragment.nodes.values();
    expect(node).toMatchObject({
      id: 'store/install/unit',
      tags: ['store', 'x', 'unit'],
      task: { id: 'store/install' },
    });
  });

  it('that is not required plans nothing and makes nothing', () => {
    const planned = task('t', [], { isRequired: () => false }).use(context);
    expect(planned).toEqual(nothing());
  });

  it('passes its inputs on and hands out what its nodes make', () => {
    const made = defineTask<{ readonly from: string }, { readonly path: Ref<string> }>({
      name: 'made',
      description: 'x',
      tags: [],
      steps: [],
      isRequired: (_context, inputs) => inputs.from !== '',
      plan: (planning, inputs) => {
        const fragment = on(planning.local, touch({ path: inputs.from }));
        return withOutputs(fragment, { path: fragment.ref() });
      },
    });
    const planned = made.use(context, { from: '/x' });
    const used = on(context.role('store'), { ...touch({ path: planned.outputs!.path }), name: 'used' });
    const graph = buildGraph(parallel(planned, used));
    expect(graph.edges.count).toBe(2);
    expect(made.use(context, { from: '' }).outputs).toBeUndefined();
  });

  it('can be undone as a whole, by nodes under its name that belong to no task', () => {
    const fragment = task('t', ['x'], { compensate: (planning) => on(planning.role('store'), step('remove')) }).use(
      context,
    );
    const undo = [...fragment.nodes.values()][0]?.task?.compensate;
    expect([...undo!.nodes.values()]).toMatchObject([{ id: 't/undo/remove', task: undefined, tags: ['x'] }]);
  });

  it('shares a step with another: the first owns it, both tags select it', () => {
    const shared = on(context.local, step('download'));
    const using = (name: string) =>
      defineTask({
        name,
        description: 'x',
        tags: [name],
        steps: [],
        plan: () => sequence(shared, on(context.role('store'), step('use'))),
      });
    const plan = parallel(using('one').use(context), using('two').use(context));
    expect(ids(plan)).toEqual(['one/download', 'one/use', 'two/use']);
    expect([...plan.nodes.values()][0]).toMatchObject({ tags: ['one', 'two'], task: { id: 'one' } });
    expect(buildGraph(plan).edges.count).toBe(4);
  });
});

describe('a module', () => {
  const install = task('store/install', [], { compensate: (planning) => on(planning.role('store'), step('remove')) });
  const check = task('store/check');
  const module = defineModule({
    name: 'store',
    description: 'x',
    tasks: [install, check],
    plan: (planning: PlanContext) => barrier('up', 'quorum', install.use(planning), check.use(planning)),
  });

  it('gives its tasks its name, and what stands between them an id of its own', () => {
    const fragment = module.plan(context, undefined);
    expect(ids(fragment)).toEqual(['store/install/unit', 'store/up', 'store/check/unit']);
    const modules = [...fragment.nodes.values()].map((node) => node.task?.module ?? node.module);
    expect(modules).toEqual(['store', 'store', 'store']);
  });

  it('keeps one task one task, and names the module of what undoes it', () => {
    const two = defineModule({
      name: 'm',
      description: 'x',
      tasks: [],
      plan: (planning: PlanContext) => {
        const pair = task('t', [], {
          plan: () => sequence(on(planning.local, step('x')), on(planning.local, step('y'))),
          compensate: () => on(planning.local, step('remove')),
        });
        return pair.use(planning);
      },
    });
    const [x, y] = two.plan(context, undefined).nodes.values();
    expect(x?.task).toBe(y?.task);
    expect([...x!.task!.compensate!.nodes.values()][0]?.module).toBe('m');
  });
});

describe('a pipeline', () => {
  const one = defineModule({
    name: 'one',
    description: 'x',
    tasks: [],
    plan: (planning: PlanContext) => on(planning.role('store'), step('x')),
  });
  const two = {
    ...one,
    plan: (planning: PlanContext) => on(planning.role('store'), step('y')),
  };
  const common = { name: 'create store', description: 'x', actsOn: [], modules: [one, two] };

  it('puts its modules one after the other, host by host', () => {
    const plan = definePipeline(common).plan(context, undefined);
    expect(ids(plan)).toEqual(['one/x', 'y']);
    expect(buildGraph(plan).edges.count).toBe(2);
  });

  it('may plan for itself', () => {
    const plan = () => on(context.local, step('z'));
    expect(ids(definePipeline({ ...common, plan }).plan(context, undefined))).toEqual(['z']);
  });
});
