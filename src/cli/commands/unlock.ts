import type { EventError, ExitCode, HostLock } from '../../index.ts';
import { askPerson, confirmByName } from '../ask.ts';
import { chooseCluster } from '../choose-cluster.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { failureLines, noteStyle } from '../failures.ts';
import type { Io } from '../io.ts';
import { durationText } from '../output/duration.ts';
import { printRows } from '../output/print-data.ts';
import { sshOf, sshOptions } from '../run-options.ts';
import { allFormats, clusterOptions, type Format, outputOption } from '../shared-options.ts';

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
    ...clusterOptions,
    { flags: '--nodes <patterns>', text: 'opt.nodes', list: true, kind: 'node' },
    ...sshOptions,
    outputOption(allFormats, 'table'),
  ],
  action: unlock,
};

async function unlock(call: Call): Promise<ExitCode> {
  const { io, options } = call;
  const { breakLocks, lockOwners, openCluster } = await import('../../index.ts');
  const chosen = await chooseCluster(call);
  const { cluster } = await openCluster(chosen.configFile);
  const more = {
    ...chosen,
    ssh: sshOf(call),
    env: io.env,
    ask: (question: Parameters<typeof askPerson>[0]) => askPerson(question, io),
  };
  const locks = await lockOwners({ ...more, nodes: options.list('nodes') });
  const byName = new Intl.Collator('en', { numeric: true });
  const held = locks.filter((lock) => lock.state !== undefined).sort((a, b) => byName.compare(a.host, b.host));
  const silent = await unreached(locks, io);
  if (held.length === 0) {
    if (silent === 0) io.note(io.say('unlock.free'));
    return silent === 0 ? 0 : 5;
  }
  printLocks(held, options.text('output') as Format, io);
  io.note('', io.paintNote('yellow', io.say('unlock.warning')));
  await confirmByName(cluster.metadata.name, io);
  const broken = await breakLocks(more, held);
  const names = (locks: readonly HostLock[]) => locks.map((lock) => lock.host).join(', ');
  const left = held.filter((lock) => !broken.some((one) => one.host === lock.host));
  if (broken.length > 0) io.note(io.say('unlock.done', { hosts: names(broken) }));
  if (left.length > 0) io.note(io.say('unlock.left', { hosts: names(left) }));
  return silent === 0 ? 0 : 5;
}

function printLocks(held: readonly HostLock[], format: Format, io: Io): void {
  const { say } = io;
  const owner = ({ state }: HostLock) => state?.owner;
  printRows<HostLock>(io, format, held, {
    columns: [
      { title: say('col.host'), cell: (lock) => lock.host },
      { title: say('col.run'), cell: (lock) => owner(lock)?.run ?? '' },
      { title: say('col.pipeline'), cell: (lock) => owner(lock)?.pipeline ?? '' },
      { title: say('col.owner'), cell: (lock) => ownerText(owner(lock)) },
      { title: say('col.since'), cell: (lock) => owner(lock)?.since ?? '' },
      {
        title: say('col.heartbeat'),
        cell: ({ state }) => say('unlock.ago', { time: durationText((state?.silentSeconds ?? 0) * 1000, say) }),
      },
      { title: say('col.jobs'), cell: ({ state }) => String(state?.jobs.length ?? 0), align: 'right' },
      { title: say('col.cluster'), cell: (lock) => owner(lock)?.cluster ?? '', wide: true },
    ],
    name: (lock) => lock.host,
    value: ({ host, state }) => ({
      host,
      owner: state?.owner ?? null,
      silentSeconds: state?.silentSeconds,
      jobs: state?.jobs,
    }),
  });
}

function ownerText(owner: NonNullable<HostLock['state']>['owner']): string {
  return owner === undefined ? '' : `${owner.user}@${owner.machine} pid ${owner.pid}`;
}

/** Says which hosts could not be asked, and counts them. */
async function unreached(locks: readonly HostLock[], io: Io): Promise<number> {
  const { KubexmError } = await import('../../index.ts');
  const failures = locks.flatMap(({ host, error }): { host: string; error: EventError }[] => {
    if (error === undefined) return [];
    if (!(error instanceof KubexmError)) throw error;
    const detail = error.detail === undefined ? {} : { detail: error.detail };
    return [{ host, error: { code: error.code, params: error.params, ...detail } }];
  });
  if (failures.length > 0) io.note(await failureLines(failures, noteStyle(io)));
  return failures.length;
}
