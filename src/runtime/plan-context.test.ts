import { expect, test } from 'vitest';
import { configFor } from '../../test/support/plan-context.ts';
import { loadConfig } from '../config/index.ts';
import { LOCAL } from '../model/host.ts';
import { planContext } from './plan-context.ts';

test('targets are looked up, not searched for: there may be thousands of them', async () => {
  const { cluster } = await loadConfig({ text: configFor({}), file: 'c.yaml' });
  if (cluster === undefined) throw new Error('the configuration is wrong');
  const [first] = cluster.spec.hosts;
  const targets = Object.assign([first?.name ?? ''], {
    includes: () => {
      throw new Error('this takes as many steps as there are targets');
    },
  });
  const facts = { arch: 'amd64' } as never;
  const known = Object.fromEntries([...cluster.spec.hosts.map(({ name }) => name), LOCAL].map((name) => [name, facts]));
  const context = planContext(cluster, known, { workDir: '/tmp', assumeYes: true, targets });
  expect(context.targets.map(({ name }) => name)).toEqual([first?.name]);
});
