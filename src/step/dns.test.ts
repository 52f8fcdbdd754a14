import { describe, expect, test } from 'vitest';
import { creatable } from '../../test/plans/create-cases.ts';
import { planContextFor } from '../../test/support/plan-context.ts';
import { corednsConfig } from './dns.ts';
import type { KubeObjects } from './generic/index.ts';

const HOSTS = 'dnsEtcHosts: "192.0.2.1 a.example.com"';
const EVERYTHING = `${HOSTS}, coredns: {additionalConfigs: log, rewriteBlock: "rewrite stop {\\n  name a.example.com b.example.com\\n}", upstreamDNSServers: [192.0.2.53, "2001:db8::53"], externalZones: [{zones: [example.io:1053, example.com], nameservers: [192.0.2.54], cache: 5, rewrite: [name c.example.com d.example.com]}]}`;

/** What the step wants of a cluster with these fields. */
async function wanted(fields: string, nodes = 3): Promise<KubeObjects> {
  const { cluster } = await planContextFor(creatable().replace('dns: {', `dns: {${fields}`));
  return corednsConfig({ dns: cluster.spec.dns, domain: 'cluster.local', nodes }).want as KubeObjects;
}

async function objectsOf(fields: string) {
  const { objects } = await wanted(fields);
  return objects ?? [];
}

test('CoreDNS is not only kubexm’s: it is never deleted', async () => {
  expect(await wanted('')).toMatchObject({ name: 'CoreDNS', shared: true, kubeconfig: '/etc/kubernetes/admin.conf' });
});

// Refresh with: vitest run src/step/dns.test.ts --update
test.each([
  ['default', ''],
  ['everything', `${EVERYTHING}, `],
])('the Corefile: %s', async (name, fields) => {
  const [config] = await objectsOf(fields);
  const { Corefile } = config!['data'] as { readonly Corefile: string };
  await expect(Corefile).toMatchFileSnapshot(`golden/Corefile-${name}`);
});

describe('a hosts file', () => {
  test('is mounted beside the Corefile where there is one', async () => {
    const [config, deployment] = await objectsOf(`${HOSTS}, `);
    expect(config).toMatchObject({ data: { hosts: '192.0.2.1 a.example.com\n' } });
    expect(JSON.stringify(deployment)).toContain('{"key":"hosts","path":"hosts"}');
  });

  test('is not there where nobody asks for it', async () => {
    const [config, deployment] = await objectsOf('');
    expect(config?.['data']).not.toHaveProperty('hosts');
    expect(JSON.stringify(deployment)).not.toContain('volumes');
    expect(deployment?.['spec']).toMatchObject({
      template: {
        spec: { containers: [{ name: 'coredns', readinessProbe: { periodSeconds: 2, failureThreshold: 15 } }] },
      },
    });
  });
});

test.each([
  [1, 1],
  [2, 2],
  [9, 2],
])('with %i nodes its pods are on %i of them at least', async (nodes, minDomains) => {
  const [, deployment] = (await wanted('', nodes)).objects ?? [];
  const constraint = { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule', minDomains };
  expect(deployment).toMatchObject({ spec: { template: { spec: { topologySpreadConstraints: [constraint] } } } });
});
