import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../test/plans/cases.ts';
import { buildGraph } from '../graph.ts';
import { barriers } from './barriers.ts';
import { readPlan } from './document.ts';
import { renderDot } from './dot.ts';
import { renderJson } from './json.ts';
import { renderMermaid } from './mermaid.ts';
import { renderText } from './text.ts';

const folder = new URL('../../../test/plans/', import.meta.url);

/** Host sets of thousands would drown the diff of a review. */
function forReview(document: ReturnType<typeof renderJson>): string {
  const hostSets = document.hostSets.map((set) =>
    set.length > 20 ? [set[0], `… ${set.length - 2} more …`, set.at(-1)] : set,
  );
  return `${JSON.stringify({ ...document, hostSets }, null, 2)}\n`;
}

// Refresh with: vitest run src/plan/render/golden.test.ts --update
describe.each(Object.keys(cases))('the plan %s', (name) => {
  const graph = buildGraph(cases[name]!());
  const file = (suffix: string) => new URL(`${name}/plan.${suffix}`, folder).pathname;

  it('reads well', async () => {
    await expect(renderText(graph, { width: 110 })).toMatchFileSnapshot(file('txt'));
  });

  it('is saved without secrets and read back', async () => {
    const document = renderJson(graph);
    await expect(forReview(document)).toMatchFileSnapshot(file('json'));
    expect(readPlan(JSON.parse(JSON.stringify(document)))).toEqual(document);
    expect(JSON.stringify(document)).not.toContain('a very secret key');
  });

  it('is drawn', async () => {
    await expect(renderDot(graph)).toMatchFileSnapshot(file('dot'));
    await expect(renderMermaid(graph)).toMatchFileSnapshot(file('mmd'));
  });
});

describe('golden plans', () => {
  it('have a folder each, and no folder is left over', () => {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).sort()).toEqual(Object.keys(cases).sort());
  });

  it('make all hosts wait where they say so, and nowhere else', () => {
    const names = (name: string) => barriers(buildGraph(cases[name]!())).map((barrier) => barrier.id);
    expect(names('replicated-store')).toEqual(['store/members-up', 'store/install/config-values']);
    expect(names('rolling-upgrade')).toEqual(['upgrade-batch-2', 'upgrade-batch-3']);
    expect(names('join-workers')).toEqual([]);
  });
});
