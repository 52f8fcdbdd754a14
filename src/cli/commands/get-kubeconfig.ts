import { readFileSync } from 'node:fs';
import { chooseCluster } from '../choose-cluster.ts';
import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { mergeIntoKubeconfig } from '../merge-kubeconfig.ts';
import { configOptions } from '../shared-options.ts';

/** `kubexm get kubeconfig` */
export const getKubeconfigCommand: CommandSpec = {
  path: 'get kubeconfig',
  summary: 'cmd.get-kubeconfig',
  details: 'cmd.get-kubeconfig.details',
  examples: [
    { line: 'kubexm get kubeconfig -c prod -o name', text: 'ex.get-kubeconfig-name' },
    { line: 'kubexm get kubeconfig -c prod --merge', text: 'ex.get-kubeconfig-merge' },
  ],
  options: [
    ...configOptions,
    { flags: '--merge', text: 'opt.merge' },
    { flags: '-o, --output <format>', text: 'opt.kubeconfig-output', choices: ['yaml', 'name'], default: 'yaml' },
  ],
  action: async (call: Call) => {
    const { io, options } = call;
    const { configFile, baseDir, overrides } = await chooseCluster(call);
    const { kubeconfigOf, openCluster } = await import('../../index.ts');
    const place = { cluster: (await openCluster(configFile, overrides)).cluster.metadata.name, baseDir };
    const isName = options.text('output') === 'name';
    if (options.flag('merge')) {
      if (isName) throw cliError('KX1008', { first: '--merge', second: '--output' });
      await mergeIntoKubeconfig(place, io);
      return 0;
    }
    const file = kubeconfigOf(place);
    if (isName) io.print(file);
    else io.stdout.write(readFileSync(file, 'utf8'));
    return 0;
  },
};
