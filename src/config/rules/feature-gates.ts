import { ALWAYS_ON_GATES, gateState, gatesOfVersion, versionsWithGate } from '../../model/cluster/feature-gates.ts';
import { nearest } from '../../model/cluster/nearest.ts';
import type { Path } from '../tree.ts';
import { type Rule, type RuleContext, rule } from './rule.ts';

const alwaysOn = rule([], ({ document, report }) => {
  for (const [gate, on] of Object.entries(document.spec.kubernetes.featureGates)) {
    const since = Object.hasOwn(ALWAYS_ON_GATES, gate) ? ALWAYS_ON_GATES[gate] : undefined;
    if (since !== undefined)
      report(on ? 'KX2905' : 'KX2717', { gate, since }, ['spec', 'kubernetes', 'featureGates', gate]);
  }
});

const known = rule(['spec.kubernetes.version'], (context) => {
  // The gates that the rule above speaks of are no longer in the cluster.
  const { featureGates, kubeletConfiguration, kubeProxyConfiguration } = context.cluster.spec.kubernetes;
  checkGates(context, featureGates, ['featureGates']);
  checkGates(context, kubeletConfiguration['featureGates'], ['kubeletConfiguration', 'featureGates']);
  checkGates(context, kubeProxyConfiguration['featureGates'], ['kubeProxyConfiguration', 'featureGates']);
});

/** All components share one list of gates, so it does not matter which of them gets it. */
function checkGates(context: RuleContext, gates: unknown, path: readonly string[]): void {
  if (typeof gates !== 'object' || gates === null) return;
  const version = context.cluster.spec.kubernetes.version.replace(/^v/, '');
  const reportUnknown = unknownGates(context, version);
  for (const [gate, on] of Object.entries(gates)) {
    const at = ['spec', 'kubernetes', ...path, gate];
    const state = gateState(gate, version);
    if (state === 'unknown') reportUnknown(gate, at);
    else if (state !== 'free' && on !== (state === 'on')) context.report('KX2734', { gate, state, version }, at);
  }
}

function unknownGates({ reportKey }: RuleContext, version: string): (gate: string, at: Path) => void {
  const suggest = suggestions(version);
  return (gate, at) => {
    const others = versionsWithGate(gate);
    if (others !== undefined) return reportKey('KX2732', { gate, version, known: others }, at);
    const suggestion = suggest(gate);
    if (suggestion === undefined) reportKey('KX2733', { gate, version }, at);
    else reportKey('KX2731', { gate, version, suggestion }, at);
  };
}

/** Looking for names that look alike takes time, and nobody reads the hundredth message. */
function suggestions(version: string): (gate: string) => string | undefined {
  const names = gatesOfVersion(version);
  let told = 0;
  return (gate) => {
    told += 1;
    return told > 100 ? undefined : nearest(gate, names);
  };
}

/** Rules over feature gates. */
export const featureGateRules: readonly Rule[] = [alwaysOn, known];
