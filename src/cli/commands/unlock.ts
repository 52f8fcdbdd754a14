import type { ExitCode, HostLock, UnlockResult } from '../../index.ts';
import { confirmByName } from '../ask.ts';
import { chooseCluster } from '../choose-cluster.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { connecting } from '../connecting.ts';
import { failureLines, noteStyle } from '../failures.ts';
import type { Io } from '../io.ts';
import { durationText } from '../output/duration.ts';
import { printRows } from '../output/print-data.ts';
import { sshOf, sshOptions } from '../run-options.ts';
import { allFormats, configOptions, type Format, outputOption } from '../shared-options.ts';

/** `kubexm unlock` */
export const unlockCommand: CommandSpec = {
  path: 'unlock',
  summary: 'cmd.unlock',
  details: 'cmd.unlock.details',
  examples: [
    { line: 'kubexm unlock -f config.yaml', text: 'ex.unlock' },
    { line: 'kubexm unlock -f config.yaml --nodes node1,node2 --yes', text: 'ex.unlock-nodes' },
  ],
  options: [
    ...configOptions,
    { flags: '--nodes <patterns>', text: 'opt.nodes', list: true, kind: 'node' },
    ...sshOptions,
    outputOption(allFormats, 'table'),
  ],
  action: unlock,
};

async function unlock(call: Call): Promise<ExitCode> {
  const { io, options } = call;
  const { breakLocks, KeyRing, lockOwners, openCluster } = await import('../../index.ts');
  const chosen = await chooseCluster(call);
  const { cluster } = await openCluster(chosen.configFile, chosen.overrides);
  const more = {
    ...chosen,
    ssh: sshOf(call),
    ...connecting(io),
    // It connects twice; nobody should have to open a key twice.
    keys: new KeyRing(),
  };
  const locks = await lockOwners({ ...more, nodes: options.list('nodes') });
  const byName = new Intl.Collator('en', { numeric: true });
  const held = locks.filter((lock) => lock.state !== undefined).sort((a, b) => byName.compare(a.host, b.host));
  const unasked = await tellFailures(locks, io);
  if (held.length === 0) {
    if (unasked.length === 0) io.note(io.say('unlock.free'));
    return exitCode(unasked);
  }
  printLocks(held, options.text('output') as Format, io);
  if (held.some(({ state }) => state?.owner)) io.note('', io.paintNote('yellow', io.say('unlock.warning')));
  await confirmByName(cluster.metadata.name, io);
  const results = await breakLocks(more, held);
  tellResults(results, io);
  const refused = await tellFailures(results, io);
  return exitCode([...unasked, ...refused]);
}

function tellResults(results: readonly UnlockResult[], io: Io): void {
  const hosts = (outcome: UnlockResult['outcome']) => {
    const names = results.filter((result) => result.outcome === outcome).map((result) => result.host);
    return names.sort(new Intl.Collator('en', { numeric: true }).compare).join(', ');
  };
  if (hosts('unlocked') !== '') io.note(io.say('unlock.done', { hosts: hosts('unlocked') }));
  if (hosts('left') !== '') io.note(io.say('unlock.left', { hosts: hosts('left') }));
}

/** Several kinds of failure are simply a failure. */
function exitCode(codes: readonly ExitCode[]): ExitCode {
  const [first = 0, ...others] = new Set(codes);
  return others.length === 0 ? first : 1;
}

function printLocks(held: readonly HostLock[], format: Format, io: Io): void {
  const { say } = io;
  const owner = ({ state }: HostLock) => state?.owner;
  const heard = ({ state }: HostLock) =>
    state?.owner === undefined ? '' : say('unlock.ago', { time: durationText(state.silentSeconds * 1000, say) });
  printRows<HostLock>(io, format, held, {
    columns: [
      { title: say('col.host'), cell: (lock) => lock.host },
      { title: say('col.run'), cell: (lock) => runsOf(lock).join(', ') },
      { title: say('col.pipeline'), cell: (lock) => owner(lock)?.pipeline ?? '' },
      { title: say('col.owner'), cell: (lock) => ownerText(owner(lock)) },
      { title: say('col.since'), cell: (lock) => owner(lock)?.since ?? '' },
      { title: say('col.heartbeat'), cell: heard },
      { title: say('col.jobs'), cell: (lock) => jobsText(lock, io), align: 'right' },
      { title: say('col.cluster'), cell: (lock) => owner(lock)?.cluster ?? '', wide: true },
    ],
    name: (lock) => lock.host,
    value: (lock) => ({
      host: lock.host,
      owner: owner(lock) ?? null,
      runs: runsOf(lock),
      silentSeconds: lock.state?.silentSeconds,
      jobs: lock.state?.jobs,
      deadJobs: lock.deadJobs,
    }),
  });
}

/** The owner's run; where nobody holds the lock, the runs of the jobs that are left. */
function runsOf({ state, deadJobs }: HostLock): readonly string[] {
  if (state?.owner) return [state.owner.run];
  const keys = [...(state?.jobs ?? []).map((job) => job.key), ...deadJobs];
  return [...new Set(keys.map((key) => key.split('.')[0] ?? key))];
}

function jobsText({ state, deadJobs }: HostLock, { say }: Io): string {
  const living = String(state?.jobs.length ?? 0);
  return deadJobs.length === 0 ? living : say('unlock.dead', { living, n: deadJobs.length });
}

function ownerText(owner: NonNullable<HostLock['state']>['owner']): string {
  return owner === undefined ? '' : `${owner.user}@${owner.machine} pid ${owner.pid}`;
}

/** Says what went wrong on which hosts, and gives the exit codes it deserves. */
async function tellFailures(
  results: readonly { readonly host: string; readonly error?: Error }[],
  io: Io,
): Promise<readonly ExitCode[]> {
  const { exitCodeOf, KubexmError } = await import('../../index.ts');
  const failures = results.flatMap(({ host, error }) => {
    if (error === undefined) return [];
    if (!(error instanceof KubexmError)) throw error;
    const { code, params, detail } = error;
    return [{ host, exit: exitCodeOf(error), error: { code, params, ...(detail === undefined ? {} : { detail }) } }];
  });
  if (failures.length > 0) io.note(await failureLines(failures, noteStyle(io)));
  return failures.map(({ exit }) => exit);
}
