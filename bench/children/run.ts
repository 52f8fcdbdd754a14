import {
  defineModule,
  definePipeline,
  defineTask,
  type ExecutionFragment,
  genericSteps,
  on,
  type PlanHost,
  parallel,
  type RunEvent,
  runPipeline,
  type StepUse,
  sequence,
} from '../../src/index.ts';
import { type Item, items } from '../lib/tree.ts';
import { answer, arg } from './child.ts';

/** What the pipeline does. */
interface Params {
  readonly root: string;
  /** Files that every run writes again, one after the other. */
  readonly changes: number;
  readonly nonce: string;
  /** Files to send, with their digests. */
  readonly sources: readonly string[];
  readonly digests: readonly string[];
}

function use(kind: string, name: string, want: unknown): StepUse {
  const step = genericSteps.find((one) => one.kind === kind);
  if (!step) throw new Error(`there is no step ${kind}`);
  return { name, step, want: want as StepUse['want'], weight: 1 };
}

function useOf(item: Item, i: number): StepUse {
  const { path } = item;
  const name = `item-${i + 1}`;
  switch (item.kind) {
    case 'directory':
      return use('directory', name, { path, mode: item.mode });
    case 'file':
      return use('file', name, { path, content: item.content, mode: item.mode });
    case 'link':
      return use('symlink', name, { path, target: item.target });
    case 'block':
      return use('managedBlock', name, { path, content: item.lines.join('\n') });
    case 'absent':
      return use('remove', name, { path });
    case 'mode':
      return use('mode', name, { path, mode: item.mode });
  }
}

function changed(params: Params, i: number): StepUse {
  const path = `${params.root}/change-${i + 1}`;
  return use('file', `change-${i + 1}`, { path, content: `${params.nonce}\n`, mode: '0644' });
}

function fragmentOf(hosts: readonly PlanHost[], params: Params): ExecutionFragment {
  if (params.sources.length > 0) {
    const uploads = params.sources.map((path, i) => {
      const want = {
        source: { path, sha256: params.digests[i] },
        path: i === 0 ? params.root : `${params.root}-${i + 1}`,
        mode: '0644',
      };
      return on(hosts, use('upload', `upload-${i + 1}`, want));
    });
    return parallel(...uploads);
  }
  if (params.changes > 0) {
    return sequence(...Array.from({ length: params.changes }, (_, i) => on(hosts, changed(params, i))));
  }
  return sequence(...items(params.root).map((item, i) => on(hosts, useOf(item, i))));
}

const task = defineTask<Params>({
  name: 'bench/run',
  description: 'What is measured.',
  tags: [],
  steps: [],
  plan: (context, params) => fragmentOf(context.hosts, params),
});

const bench = defineModule<Params>({
  name: 'bench',
  description: 'The module of the benchmarks.',
  tasks: [task],
  plan: (context, params) => task.use(context, params),
});

const pipeline = definePipeline<Params>({
  name: 'bench',
  description: 'The pipeline of the benchmarks.',
  actsOn: ['**'],
  modules: [bench],
  plan: (context, params) => bench.plan(context, params),
});

function listed(name: string): readonly string[] {
  return arg(name)
    .split(',')
    .filter((one) => one !== '');
}

const began = performance.now();
const marks: Record<string, number> = {};
const mark = (name: string) => {
  marks[name] = performance.now() - began;
  process.send?.(name);
};
const report = await runPipeline(
  pipeline,
  {
    root: arg('root'),
    changes: Number(arg('changes')),
    nonce: arg('nonce'),
    sources: listed('source'),
    digests: listed('sha256'),
  },
  {
    configFile: arg('config'),
    baseDir: arg('base'),
    sinks: [
      (event: RunEvent) => {
        if (event.type === 'host-connected' || event.type === 'run-finished') mark(event.type);
      },
    ],
  },
);
mark('closed');
answer({ outcome: report.outcome, counts: report.counts, failures: report.failures.slice(0, 3), marks });
if (process.connected) process.disconnect();
