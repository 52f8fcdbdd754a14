import type { reference } from '../../index.ts';
import { anchor, code, codeBlock, markdownTable, page } from './markdown.ts';

type Reference = ReturnType<typeof reference>;
type Named = { readonly name: string; readonly description: string };

/** The reference of pipelines. */
export function pipelinesPage({ pipelines }: Reference): string {
  return page(
    'Pipelines',
    ['A pipeline is one intent of the user: a list of modules.', ''],
    ...sorted(pipelines).map((pipeline) => [
      `## ${pipeline.name}`,
      '',
      pipeline.description,
      '',
      ...markdownTable(
        ['module', 'what it is for'],
        pipeline.modules.map((one: Named) => linked('modules', one)),
      ),
      `Acts on: ${pipeline.actsOn.map(code).join(', ')}`,
      '',
    ]),
  );
}

/** The reference of modules. */
export function modulesPage({ modules }: Reference): string {
  return page(
    'Modules',
    ['A module is one domain: it links tasks.', ''],
    ...sorted(modules).map((module) => [
      `## ${module.name}`,
      '',
      module.description,
      '',
      ...markdownTable(
        ['task', 'what it does'],
        module.tasks.map((one: Named) => linked('tasks', one)),
      ),
      ...(module.fixed ? [`Fixed when the cluster is created: ${module.fixed.map(code).join(', ')}`, ''] : []),
    ]),
  );
}

/** The reference of tasks. */
export function tasksPage({ tasks }: Reference): string {
  return page(
    'Tasks',
    ['A task is one goal, made of dedicated steps. Its tags select it with `--tags` and `--skip-tags`.', ''],
    ...sorted(tasks).map((task) => [
      `## ${task.name}`,
      '',
      task.description,
      '',
      `Tags: ${task.tags.map(code).join(', ')}`,
      '',
      ...markdownTable(
        ['step', 'kind', 'what it does'],
        task.steps.map((step) => [
          code(step.stepName),
          `[${code(step.kind)}](steps.md#${anchor(step.kind)})`,
          step.description,
        ]),
      ),
    ]),
  );
}

/** The reference of generic steps. */
export function stepsPage({ genericSteps, dedicatedSteps }: Reference): string {
  const definitions = [...genericSteps].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  return page(
    'Steps',
    ['Generic steps are the only code that touches a machine. Tasks use them through dedicated steps with a name.', ''],
    ...definitions.map((step) => [
      `## ${step.kind}`,
      '',
      step.description,
      '',
      ...markdownTable(['', ''], natureRows(step)),
      ...codeBlock('json', JSON.stringify(step.example, null, 2)),
      ...markdownTable(
        ['dedicated step', 'what it does'],
        dedicatedSteps.filter((one) => one.kind === step.kind).map((one) => [code(one.stepName), one.description]),
      ),
    ]),
  );
}

function natureRows(step: Reference['genericSteps'][number]): string[][] {
  const nature = typeof step.nature === 'function' ? step.nature(step.example) : (step.nature ?? 'state');
  const words = {
    state: 'leaves a state that is checked',
    action: 'runs every time, leaves nothing',
    mint: 'makes a short-lived secret',
  };
  const irreversible = typeof step.irreversible === 'function' ? step.irreversible(step.example) : step.irreversible;
  const undo = irreversible ?? (step.revert || step.saves ? 'yes' : 'nothing to undo');
  return [
    ['nature', words[nature as keyof typeof words]],
    ['once only', step.once ? 'yes' : 'no'],
    ['can be undone', undo],
    ['example', code(step.title(step.example))],
  ];
}

function linked(file: string, { name, description }: Named): string[] {
  return [`[${code(name)}](${file}.md#${anchor(name)})`, description];
}

function sorted<T extends Named>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
}
