import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { thorough } from '../rig/thorough.ts';
import { BUILD, clusterLab, MINUTE } from './cluster-lab.ts';
import { describeLab, type TestLab } from './fixture.ts';

type Lab = Awaited<ReturnType<TestLab['look']>>;

const named = (config: string, name: string) => config.replace(/^ {2}name: .*$/m, `  name: ${name}`);

/** A cluster of the first machine, with etcd as a service. */
function owner(look: Lab): string {
  const [first] = look.machines;
  return named(labConfig({ ...look, machines: look.machines.slice(0, 1) }), 'owner')
    .replace(
      / {2}roleGroups:\n(?: {4}.*\n)+/,
      `  roleGroups: {master: [${first?.name}], worker: [${first?.name}], etcd: [${first?.name}]}\n`,
    )
    .replace('    type: kubeadm\n', '    type: kubexm\n');
}

/** Another cluster, which keeps its objects in the etcd of the first one, under a prefix of its own. */
function guest(look: Lab, address = look.machines[0]?.address): string {
  const file = (name: string) => `.kubexm/owner/certs/etcd/${name}`;
  return named(labConfig({ ...look, machines: look.machines.slice(1) }), 'guest')
    .replace(/^ {4}version: .*$/m, '$&\n    apiserverArgs: [--etcd-prefix=/guest]')
    .replace(
      '    type: kubeadm\n',
      `    type: external
    external:
      endpoints: ["https://${address}:2379"]
      caFile: ${file('ca.crt')}
      certFile: ${file('apiserver-etcd-client.crt')}
      keyFile: ${file('apiserver-etcd-client.key')}
`,
    );
}

describeLab('an etcd that exists', () => {
  test('serves a cluster that did not make it; one that does not answer stops the run before kubeadm starts', {
    timeout: BUILD,
  }, async (context) => {
    if (!thorough) return context.skip('needs minutes: npm run test:lab');
    const cluster = await clusterLab(3, { config: async (lab) => owner(await lab.look()), master: 2 });
    context.onTestFinished(() => cluster.close(), 2 * MINUTE);
    const { lab, well, kubexm, kubectl, dir } = cluster;
    const look = await lab.look();
    const config = (text: string) => writeFileSync(join(dir, 'c.yaml'), text);
    await well(['create', 'cluster']);
    renameSync(join(dir, 'c.yaml'), join(dir, 'owner.yaml'));

    // Nobody serves etcd on the worker.
    config(guest(look, look.machines[2]?.address));
    const refused = await kubexm(['create', 'cluster']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr + refused.stdout).toContain('etcd/clients/external-healthy');
    expect(await lab.exec(2, 'ls /etc/kubernetes/manifests 2>/dev/null || true')).toBe('');
    await well(['delete', 'cluster']);

    config(guest(look));
    await well(['create', 'cluster']);
    expect(await cluster.states()).toEqual(['Ready', 'Ready']);
    expect(await kubectl('get pods -A')).not.toContain('etcd-');
    await well(['create', 'cluster', '--detailed-exitcode']);
    await well(['check', 'cluster']);
    await well(['delete', 'cluster']);
    renameSync(join(dir, 'owner.yaml'), join(dir, 'c.yaml'));
    // The other cluster did not notice.
    await well(['create', 'cluster', '--detailed-exitcode']);
    await well(['delete', 'cluster']);
    expect(await cluster.traces()).toEqual({});
  });
});
