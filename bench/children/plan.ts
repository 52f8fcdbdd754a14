import { buildGraph } from '../../src/plan/graph.ts';
import { renderJson, renderText } from '../../src/plan/render/index.ts';
import { planCases } from '../cases.ts';
import { answer, arg, peakMb } from './child.ts';

/** Plans and validates one case, once, as a program does that was just started; on request it shows the plan too. */
const make = planCases[arg('case')];
if (!make) throw new TypeError(`there is no case ${arg('case')}`);
const graph = buildGraph(make());
const planned = performance.now();
if (arg('show') === 'text') {
  const lines = renderText(graph, { width: 120 }).split('\n').length;
  if (lines > 2000) throw new Error(`${lines} lines: the plan does not read well`);
}
if (arg('show') === 'json') JSON.stringify(renderJson(graph));
const showSeconds = (performance.now() - planned) / 1000;
answer({ showSeconds, nodes: graph.size, edges: graph.edges.count, peakMb: peakMb() });
