import { chooseCluster } from '../choose-cluster.ts';
import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { sshOf, sshOptions } from '../run-options.ts';
import { configOptions } from '../shared-options.ts';

const DEFAULT_TIMEOUT = 300;

/** `kubexm run command --nodes PATTERNS -- COMMAND…` */
export const runCommandCommand: CommandSpec = {
  path: 'run command',
  summary: 'cmd.run-command',
  details: 'cmd.run-command.details',
  examples: [
    { line: 'kubexm run command -f config.yaml --nodes all -- uptime', text: 'ex.run-command' },
    {
      line: "kubexm run command --nodes 'master-*,!master-3' -- 'systemctl status etcd | head -3'",
      text: 'ex.run-command-glob',
    },
    { line: 'kubexm run command --nodes etcd,node[1:3] -o json -- cat /etc/os-release', text: 'ex.run-command-json' },
    { line: 'kubexm run command --lab t -- uname -n', text: 'ex.run-command-lab' },
  ],
  arguments: [{ name: '[command...]', text: 'arg.command', kind: 'command' }],
  options: [
    ...configOptions,
    { flags: '--nodes <patterns>', text: 'opt.nodes', list: true, kind: 'node' },
    { flags: '--timeout <time>', text: 'opt.timeout', default: `${DEFAULT_TIMEOUT}s` },
    ...sshOptions,
    { flags: '-o, --output <format>', text: 'opt.output', choices: ['text', 'json', 'yaml'], default: 'text' },
  ],
  action: run,
};

async function run(call: Call) {
  const { io, options, args } = call;
  if (args.length === 0) throw cliError('KX1009', {});
  // A lab is small and its user's own: all of it is meant unless some of it is named.
  const patterns = options.list('nodes').length === 0 && options.text('lab') ? ['all'] : options.list('nodes');
  if (patterns.length === 0) {
    throw cliError('KX1007', { command: 'kubexm run command', option: '--nodes', help: 'kubexm run command --help' });
  }
  const chosen = await chooseCluster(call);
  const timeoutSeconds = timeoutOf(options.text('timeout') ?? '');
  const { openCluster, quote, runCommand, selectHosts } = await import('../../index.ts');
  const { cluster } = await openCluster(chosen.configFile, chosen.overrides);
  const nodes = selectHosts(cluster, patterns);
  // One word is a line for the shell; several are a command and its arguments, each to arrive as it was typed.
  const command = args.length === 1 ? (args[0] ?? '') : args.map((word) => quote(word)).join(' ');
  const { runShown } = await import('../pipeline-command.ts');
  const { commandView, endOfCommand } = await import('../report/command-output.ts');
  const format = options.text('output') as 'text' | 'json' | 'yaml';
  const { view, results } = commandView(nodes, format, io);
  const flags = {
    ...chosen,
    dryRun: false,
    resume: false,
    onFailure: 'keep' as const,
    tags: [],
    skipTags: [],
    ssh: sshOf(call),
    detailedExitcode: false,
    view: 'plain' as const,
    hosts: () => nodes,
    argv: call.argv,
  };
  const report = await runShown(runCommand, { command, nodes, timeoutSeconds }, flags, io, view);
  return endOfCommand(report, results, format, io);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };

/** `30`, `90s`, `5m`, `1h` in seconds. */
export function timeoutOf(text: string): number {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,6})([smh]?)$/.exec(text) ?? [];
  if (amount === '') throw cliError('KX1006', { value: text, option: '--timeout', allowed: '30s, 5m, 1h' });
  return Number(amount) * (UNITS[unit] ?? 1);
}
