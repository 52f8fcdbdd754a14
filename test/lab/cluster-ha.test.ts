import { expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { cutMachine, startMachine } from '../../src/lab/index.ts';
import { thorough } from '../rig/thorough.ts';
import { BUILD, clusterLab, MINUTE, until } from './cluster-lab.ts';
import { describeLab, type TestLab } from './fixture.ts';

/** A control plane, and which of its machines lose their power one after the other. */
interface Cell {
  readonly name: string;
  readonly machines: number;
  /** The roles and the endpoint, for the names and the network of the lab's machines. */
  readonly spec: (names: readonly string[], vip: string) => string;
  readonly cuts: readonly number[];
  /** The machine that asks the API: one that is never cut. */
  readonly client: number;
}

const list = (names: readonly (string | undefined)[]) => `[${names.join(', ')}]`;

const CELLS: readonly Cell[] = [
  ...(['haproxy', 'nginx'] as const).map(
    (proxy): Cell => ({
      name: `${proxy} on the workers`,
      machines: 4,
      spec: ([a, b, c, d]) => `  roleGroups:
    master: ${list([a, b, c])}
    worker: ${list([d])}
  controlPlaneEndpoint: {internalLoadbalancer: ${proxy}}
`,
      cuts: [1, 2],
      client: 4,
    }),
  ),
  ...(['kubexm-kh', 'kubexm-kn'] as const).map(
    (balancer): Cell => ({
      name: `${balancer} on hosts of their own`,
      machines: 4,
      spec: ([a, b, c, d], vip) => `  roleGroups:
    master: ${list([a])}
    worker: ${list([b])}
    loadbalancer: ${list([c, d])}
  controlPlaneEndpoint: {externalLoadBalancer: ${balancer}, lb_address: ${vip}}
`,
      cuts: [3, 4],
      client: 2,
    }),
  ),
  {
    name: 'kube-vip on the masters',
    machines: 4,
    spec: ([a, b, c, d], vip) => `  roleGroups:
    master: ${list([a, b, c])}
    worker: ${list([d])}
  controlPlaneEndpoint: {internalLoadbalancer: kube-vip, lb_address: ${vip}}
`,
    cuts: [1],
    client: 4,
  },
];

async function configOf(lab: TestLab, { spec }: Cell): Promise<string> {
  const look = await lab.look();
  const vip = (look.machines[0]?.address ?? '').replace(/\d+$/, '250');
  const names = look.machines.map(({ name }) => name);
  return labConfig(look).replace(/ {2}roleGroups:\n(?: {4}.*\n)+/, spec(names, vip));
}

describeLab('the control plane behind a load balancer', () => {
  test.for(CELLS)(
    '$name: created, unchanged, serving through power cuts, deleted',
    { timeout: BUILD },
    async (cell, context) => {
      if (!thorough) return context.skip('needs minutes: npm run test:lab');
      const cluster = await clusterLab(cell.machines, { config: (lab) => configOf(lab, cell) });
      context.onTestFinished(() => cluster.close(), 2 * MINUTE);
      const { lab, well } = cluster;
      const names = (await lab.look()).machines.map(({ name }) => name);

      await well(['create', 'cluster']);
      await well(['create', 'cluster', '--detailed-exitcode']);
      await well(['check', 'cluster']);

      // With what its kubelet has, the client asks as its own node does: through the endpoint.
      const ask = 'kubectl --kubeconfig /etc/kubernetes/kubelet.conf --request-timeout=2s get --raw /readyz';
      for (const cut of cell.cuts) {
        const name = names[cut - 1] ?? '';
        await cutMachine(name, { env: lab.env });
        const since = Date.now();
        await until(`an answer without ${name}`, async () => (await lab.exec(cell.client, ask)) === 'ok');
        console.log(`${cell.name}: refused for ${((Date.now() - since) / 1000).toFixed(1)} s after ${name} was cut`);
        await startMachine(name, { env: lab.env });
        await until(`${name} is back`, async () => (await lab.exec(cut, 'systemctl is-system-running || true')) !== '');
        await until('all nodes ready', async () => (await cluster.states()).every((state) => state === 'Ready'));
      }
      await well(['delete', 'cluster']);
      expect(await cluster.traces()).toEqual({});
    },
  );
});
