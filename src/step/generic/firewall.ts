import { lookAtFirewall, missingItems, missingRules, type SeenFirewall, seenFirewall } from '../../host/os/firewall.ts';
import {
  closeFirewalld,
  closeUfw,
  type FirewalldBefore,
  openFirewalld,
  openUfw,
  STOP_FIREWALLS,
  startFirewalls,
} from '../../host/os/firewall-change.ts';
import { type FirewallRule, firewalldItem, ruleProblem, ufwWords } from '../../host/os/firewall-rule.ts';
import { lines, type Script, sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';

export type { FirewallRule } from '../../host/os/firewall-rule.ts';

/** The machine's firewall, as firewalld or ufw manage it. Rules that others keep in nftables are not touched. */
export type Firewall =
  | { readonly state: 'disabled' }
  | {
      readonly state: 'open';
      readonly rules: readonly FirewallRule[];
      /** The zone of firewalld. Default: its default zone. */
      readonly zone?: string;
    };

/** Which firewall lets the rules in; a machine without one lets everything in. A type, so that it is Json too. */
export type FirewallResult = {
  readonly managers: readonly ('firewalld' | 'ufw')[];
};

interface Before {
  /** What ran or was to be started, where firewalls are disabled. */
  readonly stopped?: { readonly active: boolean; readonly enabled: boolean; readonly ufw: boolean };
  readonly firewalld?: FirewalldBefore;
  /** Rules that ufw gets. */
  readonly ufw: readonly string[];
}

function rulesOf(want: Firewall): readonly FirewallRule[] {
  if (want.state === 'disabled') return [];
  for (const rule of want.rules) {
    const problem = ruleProblem(rule);
    if (problem !== undefined) throw invalid(problem);
  }
  return want.rules;
}

function zoneOf(want: Firewall): string | undefined {
  if (want.state === 'disabled') return undefined;
  if (want.zone !== undefined && !/^[A-Za-z0-9_-]+$/.test(want.zone))
    throw invalid(`${JSON.stringify(want.zone)} is no zone of firewalld`);
  return want.zone ?? '';
}

function managersOf(seen: SeenFirewall): FirewallResult {
  const { firewalld, ufw } = seen;
  return {
    managers: [
      ...(firewalld.active || firewalld.enabled ? (['firewalld'] as const) : []),
      ...(ufw.enabled ? (['ufw'] as const) : []),
    ],
  };
}

function judgeDisabled(seen: SeenFirewall) {
  const { active, enabled } = seen.firewalld;
  const changes: Change[] = [];
  if (active) changes.push({ what: 'firewalld', from: 'running', to: 'stopped' });
  if (enabled) changes.push({ what: 'firewalld at the next start', from: 'enabled', to: 'disabled' });
  if (seen.ufw.enabled) changes.push({ what: 'ufw', from: 'enabled', to: 'disabled' });
  if (changes.length === 0) return satisfied(managersOf(seen));
  return needed<Before>({ stopped: { active, enabled, ufw: seen.ufw.enabled }, ufw: [] }, changes);
}

function judgeOpen(seen: SeenFirewall, rules: readonly FirewallRule[]) {
  const { firewalld } = seen;
  const items = rules.map(firewalldItem);
  const present = firewalld.active || firewalld.enabled;
  const now = present ? missingItems(firewalld, 'runtime', items) : [];
  const kept = present ? missingItems(firewalld, 'permanent', items) : [];
  const words = seen.ufw.enabled ? rules.map((rule) => ufwWords(rule).join(' ')) : [];
  const ufw = missingRules(seen.ufw.rules, words);
  const changes: readonly Change[] = [
    ...now.map(({ text }) => ({ what: 'firewalld', to: text })),
    ...kept.map(({ text }) => ({ what: 'firewalld at the next start', to: text })),
    ...ufw.map((rule) => ({ what: 'ufw', to: rule })),
  ];
  if (changes.length === 0) return satisfied(managersOf(seen));
  const ports = (which: string) => firewalld.zones.get(`${which} ${firewalld.zone}`)?.ports ?? [];
  const before: FirewalldBefore = {
    zone: firewalld.zone,
    added: {
      runtime: missingItems(firewalld, 'runtime', items, true),
      permanent: missingItems(firewalld, 'permanent', items, true),
    },
    ports: { runtime: ports('runtime'), permanent: ports('permanent') },
    zones: firewalld.files.map((one) => ({
      ...one,
      text: firewalld.zones.get(`permanent ${one.zone}`)?.text ?? '',
    })),
  };
  const rulesToCome = words.filter((rule) => !seen.ufw.rules.includes(rule));
  return needed<Before>({ ...(present && { firewalld: before }), ufw: rulesToCome }, changes);
}

/** Disables the firewalls of a machine, or lets ports and sources in. */
export const firewall = defineStep<Firewall>()({
  kind: 'firewall',
  description:
    'Firewalls of firewalld and ufw: disabled, or letting in ports and sources, now and at every start; nothing without them.',
  title: (want) => (want.state === 'open' ? 'firewall lets in what is needed' : 'firewall disabled'),
  probe: (want) =>
    lookAtFirewall(
      zoneOf(want),
      rulesOf(want).some((rule) => rule.port === undefined),
    ),
  judge: (output, want) => {
    const seen = seenFirewall(output.stdout);
    return want.state === 'disabled' ? judgeDisabled(seen) : judgeOpen(seen, rulesOf(want));
  },
  apply: (_host, want): Script => {
    if (want.state === 'disabled') return STOP_FIREWALLS;
    const rules = rulesOf(want);
    return lines(openFirewalld(zoneOf(want) ?? '', rules.map(firewalldItem)), openUfw(rules.map(ufwWords)));
  },
  timeoutSeconds: 120,
  estimateSeconds: 3,
  owns: (want) =>
    want.state === 'disabled'
      ? ['firewall:state']
      : rulesOf(want).map((rule) => `firewall:${ufwWords(rule).join(' ')}`),
  revert: (_host, _want, before) =>
    lines(
      before.stopped === undefined ? sh`` : startFirewalls(before.stopped),
      before.firewalld === undefined ? sh`` : closeFirewalld(before.firewalld),
      closeUfw(before.ufw),
    ),
  example: { state: 'open', rules: [{ port: 6443 }, { port: '30000-32767', source: '10.0.0.0/8' }] },
});
