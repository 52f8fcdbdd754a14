import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { creatable } from '../plans/create-cases.ts';
import { recordedFacts } from '../support/plan-context.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

let tree: string;
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'kubexm-component-'));
  for (const name of ['src', 'data', 'docs', 'package.json'])
    cpSync(join(root, name), join(tree, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  // A component is: a description, steps, a task, a template, a catalog file, a page; and a line each where it is listed.
  cpSync(join(here, 'fixture'), tree, { recursive: true });
  edit('src/component/index.ts', (text) =>
    text
      .replace('\n  kubeProxy,\n', '\n  kubeProxy,\n  echo,\n')
      .replace(/^import/m, "import { echo } from './echo.ts';\nimport"),
  );
  edit(
    'src/module/dns.ts',
    (text) =>
      `import { sequence } from '../plan/combinators.ts';\nimport { echoTask } from '../task/dns/echo.ts';\n${text
        .replace('moduleOf }', 'defineModule }')
        .replace(
          /moduleOf\('dns', ('[^']*'), corednsTask\)/,
          "defineModule({ name: 'dns', description: $1, tasks: [corednsTask, echoTask], plan: (context) => sequence(corednsTask.use(context), echoTask.use(context)) })",
        )}`,
  );
  cpSync(join(here, 'ask.mjs'), join(tree, 'ask.mjs'));
  writeFileSync(join(tree, 'cluster.yaml'), creatable());
  const machine = recordedFacts('debian-12', { arch: 'amd64', swapBytes: 0 });
  writeFileSync(join(tree, 'facts.json'), JSON.stringify({ cp1: machine, node1: machine, local: machine }));
}, 120_000);
afterAll(() => rmSync(tree, { recursive: true, force: true }));

function edit(name: string, change: (text: string) => string): void {
  const text = readFileSync(join(tree, name), 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(join(tree, name), changed);
}

function run(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

test('a component of six files is planned, checked, got, reported and undone, because its description says so', () => {
  expect(JSON.parse(run('ask.mjs'))).toEqual({
    planned: expect.arrayContaining(['dns/echo/config']),
    preflight: 1,
    ports: expect.toSatisfy((count: number) => count > 0),
    artifacts: ['echo'],
    reported: expect.toSatisfy((count: number) => count > 0),
    deleted: 1,
    tasks: ['dns/echo'],
    steps: ['The configuration of echo.'],
    single: ['dns/echo'],
  });
});

test('it is in the references', () => {
  run('src/cli/main.ts', 'generate', 'docs');
  const page = (name: string) => readFileSync(join(tree, 'docs/reference', name), 'utf8');
  expect(page('steps.md')).toContain('The configuration of echo.');
  expect(page('tasks.md')).toContain('dns/echo');
});
