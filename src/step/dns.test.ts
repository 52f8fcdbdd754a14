import { describe, expect, test } from 'vitest';
import { creatable } from '../../test/plans/create-cases.ts';
import { planContextFor } from '../../test/support/plan-context.ts';
import { corednsObjects, corefile } from './dns.ts';

const HOSTS = 'dnsEtcHosts: "192.0.2.1 a.example.com"';
const EVERYTHING = `${HOSTS}, coredns: {additionalConfigs: log, rewriteBlock: "rewrite stop {\\n  name a.example.com b.example.com\\n}", upstreamDNSServers: [192.0.2.53, "2001:db8::53"], externalZones: [{zones: [example.io:1053, example.com], nameservers: [192.0.2.54], cache: 5, rewrite: [name c.example.com d.example.com]}]}`;

async function dnsOf(fields: string) {
  const { cluster } = await planContextFor(creatable().replace('dns: {', `dns: {${fields}`));
  return cluster.spec.dns;
}

// Refresh with: vitest run src/step/dns.test.ts --update
test.each([
  ['default', ''],
  ['everything', `${EVERYTHING}, `],
])('the Corefile: %s', async (name, fields) => {
  await expect(corefile(await dnsOf(fields), 'cluster.local')).toMatchFileSnapshot(`golden/Corefile-${name}`);
});

describe('a hosts file', () => {
  test('is mounted beside the Corefile where there is one', async () => {
    const [config, deployment] = corednsObjects(await dnsOf(`${HOSTS}, `), 'cluster.local');
    expect(config).toMatchObject({ data: { hosts: '192.0.2.1 a.example.com\n' } });
    expect(JSON.stringify(deployment)).toContain('{"key":"hosts","path":"hosts"}');
  });

  test('is not there where nobody asks for it', async () => {
    const [config, deployment] = corednsObjects(await dnsOf(''), 'cluster.local');
    expect(config?.['data']).not.toHaveProperty('hosts');
    expect(deployment?.['spec']).toEqual({
      template: {
        spec: { containers: [{ name: 'coredns', readinessProbe: { periodSeconds: 2, failureThreshold: 15 } }] },
      },
    });
  });
});
