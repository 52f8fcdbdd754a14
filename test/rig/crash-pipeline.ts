import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crashPoints } from '../../src/engine/crash.ts';
import { Journal } from '../../src/engine/journal.ts';
import type { ExecuteResult, NewEvent } from '../../src/engine/options.ts';
import { lockMachines, releaseMachines, runGraph } from '../../src/engine/run-graph.ts';
import { LOCAL, type LockOwner } from '../../src/model/host.ts';
import { sh } from '../../src/model/script.ts';
import { barrier, on, parallel, sequence } from '../../src/plan/combinators.ts';
import { buildGraph } from '../../src/plan/graph.ts';
import type { ExecutionFragment } from '../../src/plan/node.ts';
import { member } from '../../src/plan/ref.ts';
import { defineStep, half, needed, satisfied } from '../../src/plan/step.ts';
import { header, host, type Kv, kv, kvLike, task } from './engine.ts';
import { MemoryHost, MemoryMachine, type MemoryState } from './memory/memory.ts';

/**
 * A small pipeline over machines whose state lives in files, so that it survives the process: what tests crash everywhere.
 * Run as a program it does the pipeline once in the given directory, resuming what it finds there.
 */

/** Made in two parts and only once: it records an attempt to make it when it exists already. */
const once = defineStep<{ readonly name: string; readonly secret?: string }>()({
  kind: 'once',
  description: 'must not be done twice',
  title: (want) => `once ${want.name}`,
  once: true,
  probe: (want) => sh`kv get ${want.name}.first; kv get ${want.name}.second`,
  judge: (seen, want) => {
    const parts = seen.stdout.trim().split('\n').filter(Boolean).length;
    if (parts === 2) return satisfied({ id: `${want.name}-id` });
    return parts === 1 ? half(undefined, 'one part is missing') : needed(undefined, [{ what: want.name }]);
  },
  apply: (_host, { name, secret = '' }) =>
    sh`kv has ${name}.first && kv set ${name}.twice yes
kv set ${name}.first 1
sleep 0.003
kv set ${name}.with ${secret === '' ? 'nothing' : 'a token'}
kv set ${name}.second 1`,
  revert: (_host, { name }) => sh`kv del ${name}.first; kv del ${name}.with; kv del ${name}.second`,
  example: { name: 'x' },
});

const token = defineStep<object>()({
  kind: 'token',
  description: 'a short-lived secret',
  title: () => 'token',
  nature: 'mint',
  apply: () => sh`echo t0k3n`,
  result: (seen) => seen.stdout.trim(),
  example: {},
});

const message = defineStep<{ readonly text: string }>()({
  kind: 'message',
  description: 'says something',
  title: (want) => want.text,
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => io.say(want.text),
  example: { text: 'hello' },
});

const work = kvLike({
  kind: 'work',
  apply: async (at, want: Kv): Promise<undefined> => {
    await at.write(want.key, want.value);
  },
});

const long = kvLike({
  kind: 'long',
  job: true,
  apply: (_host, want) => sh`sleep 0.002; kv set ${want.key} ${want.value}`,
});
const seen = kvLike({
  kind: 'seen',
  revert: (_host, want, before) => (before === undefined ? sh`kv del ${want.key}` : sh`kv set ${want.key} ${before}`),
});
/** Fails until somebody repairs the host. */
const weak = kvLike({
  kind: 'weak',
  apply: (_host, want) =>
    sh`kv set ${want.key} partly; kv has repaired || fail 9 not repaired; kv set ${want.key} ${want.value}`,
});

const [a, b] = [host('a'), host('b')];
const both = [a, b];
const named = (name: string) => ({ name });

/** The plan. `failing`: its second task fails on `b` until that host is repaired, and is undone there. */
export function crashPlan(failing: boolean): ExecutionFragment {
  const mint = on(host(LOCAL), token({}), named('token'));
  const init = on(a, once({ name: 'init' }), named('init'));
  const base = task(
    'base/files',
    sequence(
      on(both, kv({ key: 'etc', value: 'new' }), named('etc')),
      on(both, work({ key: 'bin', value: 'v2' }), named('bin')),
    ),
  );
  const boot = task('boot/init', sequence(on(a, seen({ key: 'conf', value: 'new' }), named('conf')), init));
  const join = task(
    'boot/join',
    sequence(
      on(b, seen({ key: 'conf', value: member(init.ref(), 'id') }), named('conf')),
      on(b, long({ key: 'image', value: '1' }), named('image')),
      on(b, once({ name: 'join', secret: mint.ref() }), named('join')),
      ...(failing ? [on(b, weak({ key: 'weak', value: '1' }), named('weak'))] : []),
    ),
  );
  const after = task(
    'end/check',
    parallel(
      on(both, kv({ key: 'ready', value: 'yes' }), named('ready')),
      on(host(LOCAL), message({ text: 'done' }), named('say')),
    ),
  );
  return barrier('all-there', 'all', sequence(base, parallel(mint, sequence(boot, join))), after);
}

const finalizers = () => on(both, kv({ key: 'unmounted', value: 'yes' }), named('unmount'));

/** What the hosts are before anything is done. */
export const initial = { etc: 'old', conf: 'default' };

/** The hosts of a directory. */
function crashHosts(dir: string): ReadonlyMap<string, MemoryHost> {
  return new Map(
    [LOCAL, 'a', 'b'].map((name) => [name, new MemoryHost(name, { file: join(dir, `${name}.json`), values: initial })]),
  );
}

/** Runs the pipeline in a directory: from the beginning, or going on where an earlier process died. */
export async function runCrashPipeline(
  dir: string,
  options: { readonly failing: boolean; readonly crashAt?: string | undefined },
): Promise<{
  readonly result: ExecuteResult;
  readonly events: readonly NewEvent[];
  readonly states: Readonly<Record<string, MemoryState>>;
}> {
  const file = join(dir, 'journal');
  const crash = crashPoints(options.crashAt);
  const hosts = crashHosts(dir);
  const machines = new Map([...hosts].map(([name, one]) => [name, new MemoryMachine(one, { latencyMs: 1 })]));
  const owner: LockOwner = {
    run: header.run,
    cluster: 'c',
    pipeline: 'crash',
    user: 'u',
    machine: 'm',
    pid: process.pid,
    since: '',
  };
  const opened = existsSync(file)
    ? Journal.reopen(file, crash)
    : { journal: Journal.create(file, header, crash), replay: undefined };
  const { journal, replay } = opened;
  if (replay) journal.append({ node: 'run', phase: 'resumed' });
  const events: NewEvent[] = [];
  const unreachable = await lockMachines(machines, owner);
  const result = await runGraph({
    run: header.run,
    graph: buildGraph(crashPlan(options.failing)),
    finalizers: buildGraph(finalizers()),
    machines,
    unreachable,
    emit: (event) => events.push(event),
    journal,
    replay,
    dryRun: false,
    onFailure: 'rollback',
    selection: undefined,
    limits: { total: 8, perHost: 4 },
    drain: new AbortController().signal,
    stop: new AbortController().signal,
    ask: async () => 'yes',
    redact: () => undefined,
    secret: () => undefined,
  });
  await journal.durable({ node: 'run', phase: 'ended', outcome: result.outcome });
  await releaseMachines(machines, result.lostHosts, header.run, result.outcome === 'succeeded');
  await journal.close();
  return { result, events, states: Object.fromEntries([...hosts].map(([name, one]) => [name, one.state])) };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , dir = '', failing = ''] = process.argv;
  const { result } = await runCrashPipeline(dir, {
    failing: failing === 'failing',
    crashAt: process.env['KUBEXM_CRASH_AT'],
  });
  process.exitCode = result.outcome === 'succeeded' ? 0 : 1;
}
