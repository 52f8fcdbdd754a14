import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { ExecOptions, ExecResult, LabMachine, MachineCommand } from '../types.ts';
import { type Hierarchy, parseHierarchies } from './cgroups.ts';
import { DROPPED_CAPABILITIES } from './launch-script.ts';
import { firstProcess } from './processes.ts';
import { refusingCalls } from './refused-calls.ts';
import { run } from './run.ts';

const ENV = [
  'HOME=/root',
  'USER=root',
  'LOGNAME=root',
  'LC_ALL=C',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
];
/**
 * Joins the groups that stand before `--`, then becomes the rest. A group that the machine's systemd took away meanwhile (it
 * does so when it reloads) is joined one higher, never above the machine's own.
 */
const JOIN = `join() { echo $$ 2>/dev/null >"$1/cgroup.procs" || case \${1%/*} in */kubexm-lab/*/*) join "\${1%/*}" ;; *) exit 125 ;; esac; }
while [ "$1" != -- ]; do join "$1" 2>/dev/null; shift; done
shift
exec "$@"`;

/**
 * Runs a command in a machine past its network and its login. It comes from the box, so it gives up what machines may not do
 * before it enters: the clock, the kernel's modules and the swap are the box's.
 */
export async function execIn(machine: LabMachine, command: MachineCommand, options: ExecOptions): Promise<ExecResult> {
  const { pid } = machine;
  if (pid === undefined || firstProcess([pid]) === undefined) throw kubexmError('KX6014', { machine: machine.name });
  const words = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const limit = options.timeoutMs === undefined ? [] : ['timeout', '-s', 'KILL', String(options.timeoutMs / 1000)];
  const enter = options.networkOnly ? ['-n'] : ['-m', '-u', '-i', '-n', '-p', '-C', '-r', '-w'];
  const groups = options.networkOnly ? [] : groupsOf(pid);
  return run(
    'sh',
    [
      '-c',
      JOIN,
      'exec',
      ...groups,
      '--',
      ...givingUp(),
      ...refusingCalls(),
      'nsenter',
      '-t',
      String(pid),
      ...enter,
      'env',
      '-i',
      ...ENV,
      ...limit,
      ...words,
    ],
    {
      ...(options.input !== undefined && { input: options.input }),
      ...(options.signal && { signal: options.signal }),
    },
  );
}

/** Ahead of a command: it and all it starts never have these capabilities. */
function givingUp(): readonly string[] {
  const without = DROPPED_CAPABILITIES.map((name) => `-${name.toLowerCase().replace(/^cap_/, '')}`).join(',');
  return ['setpriv', `--inh-caps=${without}`, `--bounding-set=${without}`, '--'];
}

/** The groups a process is in: a machine's limits hold for what is run in it. */
function groupsOf(pid: number): readonly string[] {
  const hierarchies = parseHierarchies(readFileSync('/proc/self/mountinfo', 'utf8'));
  return groupPaths(hierarchies, readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
}

/** The same from the text of /proc/PID/cgroup. */
export function groupPaths(hierarchies: readonly Hierarchy[], text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const found = hierarchies.find((one) => one.controllers.join() === controllers);
    return found && path !== undefined ? [join(found.mount, path)] : [];
  });
}
