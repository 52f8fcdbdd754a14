import { describe, expect, test } from 'vitest';
import { networkOf, portCovered, ufwWords } from '../../host/os/firewall-rule.ts';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type Firewall, firewall } from './firewall.ts';

const { judge, probe, apply, revert, owns } = firewall.definition;
const open: Firewall = {
  state: 'open',
  rules: [{ port: 6443 }, { port: '30000-32767', source: '10.0.0.0/8' }, { source: '10.244.0.0/16' }],
};
const RICH = 'rule family="ipv4" source address="10.0.0.0/8" port port="30000-32767" protocol="tcp" accept';

/** As firewalld 1.x of RHEL 9 prints a zone. */
function zone(name: string, ports: string, sources = '', rich: readonly string[] = []): string {
  return [
    `${name} (active)`,
    '  target: default',
    '  icmp-block-inversion: no',
    '  interfaces: eth0',
    `  sources: ${sources}`,
    '  services: cockpit dhcpv6-client ssh',
    `  ports: ${ports}`,
    '  protocols: ',
    '  forward: yes',
    '  masquerade: no',
    '  forward-ports: ',
    '  source-ports: ',
    '  icmp-blocks: ',
    '  rich rules: ',
    ...rich.map((rule) => `\t${rule}`),
  ].join('\n');
}

function block(name: string, text: string): string {
  return text
    .split('\n')
    .map((line) => `${name}|${line}\n`)
    .join('');
}

const ON = 'firewalld loaded active enabled\n';
const NONE = 'firewalld not-found inactive -\n';

describe('judge', () => {
  test.each<[string, Firewall, string, object]>([
    ['nftables only', { state: 'disabled' }, NONE, { verdict: 'satisfied', output: { managers: [] } }],
    ['nftables only', open, NONE, { verdict: 'satisfied', output: { managers: [] } }],
    ['no systemd', { state: 'disabled' }, 'firewalld - - -\n', { verdict: 'satisfied' }],
    [
      'RHEL as it comes',
      { state: 'disabled' },
      ON,
      {
        verdict: 'needed',
        seen: { stopped: { active: true, enabled: true, ufw: false } },
        diff: [
          { what: 'firewalld', to: 'stopped' },
          { what: 'firewalld at the next start', to: 'disabled' },
        ],
      },
    ],
    ['masked', { state: 'disabled' }, 'firewalld masked inactive masked\n', { verdict: 'satisfied' }],
    [
      'Ubuntu with ufw',
      { state: 'disabled' },
      `${NONE}ufw-enabled\n`,
      { verdict: 'needed', seen: { stopped: { active: false, enabled: false, ufw: true } }, diff: [{ what: 'ufw' }] },
    ],
    [
      'RHEL, all is open; a range covers a port',
      open,
      `${ON}use public\n${block('runtime public', zone('public', '6000-7000/tcp', '', [RICH]))}${block('permanent public', zone('public', '22/tcp 6443/tcp', '', [RICH]))}${block('runtime trusted', zone('trusted', '', '10.244.0.0/16'))}${block('permanent trusted', zone('trusted', '', '10.244.0.0/16'))}`,
      { verdict: 'satisfied', output: { managers: ['firewalld'] } },
    ],
    [
      'RHEL, open only until the next start',
      open,
      `${ON}use public\n${block('runtime public', zone('public', '6443/tcp', '', [RICH]))}zone public 0\ntext zone-public absent\n${block('permanent public', zone('public', ''))}${block('runtime trusted', zone('trusted', '', '10.244.0.0/16'))}${block('permanent trusted', zone('trusted', ''))}zone trusted 1\ntext zone-trusted file 644 0 0 eA==\n`,
      {
        verdict: 'needed',
        seen: {
          firewalld: {
            zone: 'public',
            added: {
              runtime: [],
              permanent: [
                { kind: 'port', text: '6443/tcp' },
                { kind: 'rich-rule', text: RICH },
                { kind: 'source', text: '10.244.0.0/16' },
              ],
            },
            ports: { runtime: ['6443/tcp'], permanent: [] },
            zones: [
              { zone: 'public', file: { type: 'absent' }, old: false },
              { zone: 'trusted', file: { type: 'file', content: 'eA==' }, old: true },
            ],
          },
        },
        diff: [{ to: '6443/tcp' }, { to: RICH }, { to: '10.244.0.0/16' }],
      },
    ],
    [
      'Ubuntu, some rules are there, with comments',
      open,
      `${NONE}ufw-enabled\nufw|Added user rules (see 'ufw status' for running firewall):\nufw|ufw allow 22/tcp\nufw|ufw allow 6443 comment 'API server'\nufw|ufw allow from 10.244.0.0/16 comment 'pods'\n`,
      {
        verdict: 'needed',
        seen: { ufw: ['allow 6443/tcp', 'allow from 10.0.0.0/8 to any port 30000:32767 proto tcp'] },
        diff: [{ what: 'ufw', to: 'allow from 10.0.0.0/8 to any port 30000:32767 proto tcp' }],
      },
    ],
  ])('%s', (_name, want, answer, verdict) => {
    expect(judge!(output(0, answer), want)).toMatchObject(verdict);
  });
});

describe('commands', () => {
  const scriptOf = (want: Firewall) => (apply(undefined as never, want, undefined as never) as Script).script;

  test('opening', () => {
    const script = scriptOf(open);
    for (const tool of ['"$kxo_kept"', '"$kxo_now"']) {
      // firewall-cmd takes several of a kind, never two kinds at once.
      expect(script).toContain(`kxo_change_zone ${tool} "$zone" --add-port=6443/tcp\n`);
      expect(script).toContain(`kxo_change_zone ${tool} "$zone" '--add-rich-rule=${RICH}'\n`);
    }
    expect(script).toContain('kxo_change_zone "$kxo_now" trusted --add-source=10.244.0.0/16');
    expect(script).toContain('kxo_ufw_add allow from 10.0.0.0/8 to any port 30000:32767 proto tcp');
  });

  test('closing again: exactly what came, and the ports that a range may have swallowed', () => {
    const before = {
      firewalld: {
        zone: 'public',
        added: { runtime: [{ kind: 'port', text: '6443/tcp' } as const], permanent: [] },
        ports: { runtime: ['6000-7000/tcp'], permanent: ['22/tcp'] },
        zones: [{ zone: 'public', file: { type: 'absent' as const }, old: false, text: '  target: default' }],
      },
      ufw: ['allow 6443/tcp'],
    };
    const { script } = revert!(undefined as never, open, before) as Script;
    expect(script.match(/^kxo_change_zone .*/gm)).toEqual([
      'kxo_change_zone "$kxo_now" public --remove-port=6443/tcp',
      'kxo_change_zone "$kxo_now" public --add-port=6000-7000/tcp',
    ]);
    expect(script).toContain(`kxo_tidy_zone "$kxo_kept" public '  target: default' '' \n`);
    expect(script).toContain('ufw --force delete allow 6443/tcp');
  });

  test('disabling, and starting again what was on', () => {
    expect(scriptOf({ state: 'disabled' })).toMatch(/\nkxo_stop_firewalls$/);
    const stopped = { active: false, enabled: true, ufw: true };
    const { script } = revert!(undefined as never, { state: 'disabled' }, { stopped, ufw: [] }) as Script;
    expect(script).toContain('systemctl enable --quiet firewalld.service');
    expect(script).not.toContain('systemctl start');
    expect(script).toContain('ufw --force enable');
  });
});

test.each([
  [{}],
  [{ port: 0 }],
  [{ port: '70000' }],
  [{ port: '20-10' }],
  [{ port: 22, source: 'everywhere' }],
  [{ port: 22, protocol: 'icmp' as never }],
  [{ source: '10.0.0.0/33' }],
])('refuses %j', (rule) => {
  expect(() => probe!({ state: 'open', rules: [rule] })).toThrow(/firewall rule/);
});

test.each([
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['10.1.2.3', '10.1.2.3'],
  ['10.1.2.3/32', '10.1.2.3'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['192.168.255.255/17', '192.168.128.0/17'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['::1/128', '::1'],
  ['1.2.3', undefined],
])('the network of %s is %s', (source, network) => {
  expect(networkOf(source)).toBe(network);
});

test('ports within ranges', () => {
  expect(portCovered(['6000-7000/tcp'], '6443/tcp')).toBe(true);
  expect(portCovered(['6000-7000/udp'], '6443/tcp')).toBe(false);
  expect(portCovered(['30000-32767/tcp'], '30000-32768/tcp')).toBe(false);
});

test('says what it owns', () => {
  expect(owns!({ state: 'disabled' })).toEqual(['firewall:state']);
  expect(owns!({ state: 'open', rules: [{ port: 53, protocol: 'udp' }] })).toEqual(['firewall:allow 53/udp']);
  expect(ufwWords({ port: '1-2' })).toEqual(['allow', '1:2/tcp']);
});
