import { kubexmError } from '../model/errors/index.ts';
import type { ExecutionGraph } from './graph.ts';
import { refsIn } from './ref.ts';

/** Beyond this, hosts whose wants differ are so alike that looking at more finds nothing new. */
const LOOKED_AT = 200;

/**
 * Makes every probe that can be made before anything runs, so that a want no machine could fulfil is found now and not in the
 * middle of a run.
 */
export function checkWants(graph: ExecutionGraph): void {
  const problems: string[] = [];
  for (const node of graph.nodes) {
    if (node.body.type === 'join') continue;
    const uses = node.body.type === 'step' ? [node.body.use] : node.body.uses.slice(0, LOOKED_AT);
    uses.forEach((use, k) => {
      if (refsIn(use.want).length > 0) return;
      try {
        use.step.title(use.want);
        use.step.probe?.(use.want);
      } catch (error) {
        problems.push(
          `${node.id}@${node.hosts.names[k] ?? ''}: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    });
  }
  if (problems[0] !== undefined) throw kubexmError('KX4001', { detail: problems[0] }, { detail: problems.join('\n') });
}
