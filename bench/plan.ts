import { fileURLToPath } from 'node:url';
import { on, parallel, perHost, rolling, sequence } from '../src/plan/combinators.ts';
import { buildGraph } from '../src/plan/graph.ts';
import type { ExecutionFragment } from '../src/plan/node.ts';
import { renderJson, renderText } from '../src/plan/render/index.ts';
import { local, many, step } from '../test/plans/fixtures.ts';

/** What planning one case cost, beside what was there before. */
export interface PlanCost {
  readonly name: string;
  readonly nodes: number;
  readonly edges: number;
  readonly seconds: number;
  readonly heapMb: number;
  readonly textSeconds: number;
  readonly jsonSeconds: number;
}

const HOSTS = 5000;
const STEPS = 100;

/** A hundred steps on five thousand hosts as pipelines really look: roles, local steps, barriers, wants that differ. */
function realistic(): ExecutionFragment {
  const all = many('node', HOSTS);
  const control = all.slice(0, 5);
  const workers = all.slice(5);
  return sequence(
    ...Array.from({ length: STEPS }, (_, i) => {
      if (i % 20 === 7) return on(local, step(`local-${i}`));
      if (i % 10 === 3) return on(all, (host) => step(`each-${i}`, `/etc/${host.name}`));
      if (i % 10 === 5) return parallel(on(control, step(`control-${i}`)), on(workers, step(`worker-${i}`)));
      return on(all, step(`all-${i}`));
    }),
  );
}

const cases: Readonly<Record<string, () => ExecutionFragment>> = {
  '5,000 hosts × 100 steps, one want each': () => {
    const all = many('node', HOSTS);
    return sequence(...Array.from({ length: STEPS }, (_, i) => on(all, step(`step-${i}`))));
  },
  '5,000 hosts × 100 steps, roles, local steps, wants by host': realistic,
  '5,000 hosts × 10 steps, made host by host': () =>
    sequence(
      ...Array.from({ length: 5 }, (_, k) =>
        perHost(many('node', HOSTS), (host) => sequence(on(host, step(`a-${k}`)), on(host, step(`b-${k}`)))),
      ),
    ),
  '5,000 hosts × 2 steps, one after the other': () =>
    rolling('roll', many('node', HOSTS), { batch: 1, needs: 'quorum' }, (batch) =>
      sequence(on(batch, step('a')), on(batch, step('b'))),
    ),
};

/** Plans and validates each case once. Heap is what the plan holds; without --expose-gc, garbage too. */
export function benchPlan(): readonly PlanCost[] {
  return Object.entries(cases).map(([name, make]) => {
    globalThis.gc?.();
    const before = process.memoryUsage();
    const started = performance.now();
    const graph = buildGraph(make());
    const seconds = (performance.now() - started) / 1000;
    globalThis.gc?.();
    const after = process.memoryUsage();
    const planned = performance.now();
    const text = renderText(graph, { width: 120 });
    const rendered = performance.now();
    const document = renderJson(graph);
    const saved = performance.now();
    if (text.split('\n').length > 2000 || document.nodes.length === 0)
      throw new Error(`${name}: the plan does not read well`);
    const used = (memory: NodeJS.MemoryUsage) => memory.heapUsed + memory.arrayBuffers;
    return {
      name,
      nodes: graph.size,
      edges: graph.edges.count,
      seconds,
      heapMb: (used(after) - used(before)) / 2 ** 20,
      textSeconds: (rendered - planned) / 1000,
      jsonSeconds: (saved - rendered) / 1000,
    };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const cost of benchPlan()) {
    const peak = process.resourceUsage().maxRSS / 1024;
    console.log(
      `${cost.name}: ${cost.nodes} nodes, ${cost.edges} edges in ${cost.seconds.toFixed(2)} s, ` +
        `${cost.heapMb.toFixed(0)} MB (process at most ${peak.toFixed(0)} MB); ` +
        `text ${cost.textSeconds.toFixed(2)} s, JSON ${cost.jsonSeconds.toFixed(2)} s`,
    );
  }
}
