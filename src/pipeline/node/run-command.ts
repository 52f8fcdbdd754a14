import { operations } from '../../module/operations.ts';
import { definePipeline } from '../../plan/layers.ts';

/** The parameters of `kubexm run command`. */
export interface RunCommandParams {
  readonly command: string;
  readonly nodes: readonly string[];
  readonly timeoutSeconds: number;
}

/** Runs a command on hosts; it changes nothing that kubexm would know of, so it takes no lock. */
export const runCommand = definePipeline<RunCommandParams>({
  name: 'run command',
  description: 'Run a command on hosts, all at once.',
  actsOn: ['**'],
  modules: [operations],
  policy: 'inspect',
  plan: (context, params) => operations.plan(context, params),
});
