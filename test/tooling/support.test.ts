import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMPONENTS } from '../../src/component/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/support.md'), 'utf8');
/** The first table: what is known of each component. */
const rows = new Map(
  [...(page.split('| operating system')[0] ?? '').matchAll(/^\| ([\w-]+) +\| (lab|golden|refused) +\|(.*)\|$/gm)].map(
    ([, name, state, rest]) => [name, { state, rest: rest ?? '' }],
  ),
);

test('docs/support.md says of every component how far it has come', () => {
  expect([...rows.keys()]).toEqual(COMPONENTS.map(({ name }) => name));
  for (const { name, tasks } of COMPONENTS)
    expect(rows.get(name)?.state === 'refused', `${name} is refused where it has no tasks`).toBe(tasks.length === 0);
});

test('what was shown in the lab was shown by a test that exists', () => {
  for (const [name, { state, rest }] of rows) if (state === 'lab') expect(rest, name).toMatch(/`test\/lab\/\S+`/);
  for (const [, file] of page.matchAll(/`(test\/[^`]+)`/g)) expect(existsSync(join(root, file ?? '')), file).toBe(true);
});
