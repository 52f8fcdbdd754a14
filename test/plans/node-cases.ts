import { nodeModule, nodeVolumesModule } from '../../src/module/node.ts';
import { sequence } from '../../src/plan/combinators.ts';
import type { ExecutionFragment } from '../../src/plan/node.ts';
import { configFor, type PlanContextOptions, planContextFor } from '../support/plan-context.ts';

const EVERYTHING = `  extra:
    hosts: [{domain: mirror.example.com, address: 192.0.2.7}]
    resolves: [{address: 192.0.2.53}]
  system: {ntpServers: [ntp.example.com, cp1], timezone: Asia/Shanghai, debs: [jq], rpms: [jq]}
`;

async function prepared(options: PlanContextOptions, more?: string): Promise<ExecutionFragment> {
  const context = await planContextFor(configFor(more === undefined ? {} : { more }), options);
  return sequence(nodeModule.plan(context), nodeVolumesModule.plan(context));
}

const debian = await prepared({ system: 'debian-12' }, EVERYTHING);
const rocky = await prepared({ system: 'rocky-9' }, EVERYTHING);
const suse = await prepared({ system: 'opensuse-leap-15.6', facts: () => ({ ntp: 'ntpd' }) });

/** Machines of each family made ready: with all of the configuration that has a say in it, and with none. */
export const nodeCases: Readonly<Record<string, () => ExecutionFragment>> = {
  'prepare-debian-12': () => debian,
  'prepare-rocky-9': () => rocky,
  'prepare-opensuse-15': () => suse,
};
