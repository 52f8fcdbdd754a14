import {
  type ConfigKind,
  EXAMPLE_VALUES,
  isFieldValue,
  knowsSetting,
  settingOf,
  settingsOfVersion,
} from '../../model/cluster/component-flags.ts';
import { OWN_FIELDS } from '../../model/cluster/own-settings.ts';
import { type Rule, type RuleContext, rule } from './rule.ts';
import { type Suggest, suggestions } from './suggestions.ts';

const SECTIONS = {
  kubeletConfiguration: { kind: 'KubeletConfiguration', apiVersion: 'kubelet.config.k8s.io/v1beta1' },
  kubeProxyConfiguration: { kind: 'KubeProxyConfiguration', apiVersion: 'kubeproxy.config.k8s.io/v1alpha1' },
} as const;

type Section = keyof typeof SECTIONS;

const fields = rule(['spec.kubernetes.version'], (context) => {
  const suggest = suggestions(versionOf(context));
  for (const section of Object.keys(SECTIONS) as Section[]) {
    const value = context.document.spec.kubernetes[section] as Readonly<Record<string, unknown>>;
    const { kind, apiVersion: _version, ...rest } = value;
    checkHead(context, section, value);
    // Fields of something else would all be called unknown.
    if (kind === undefined || kind === SECTIONS[section].kind) checkFields(context, section, rest, [], suggest);
  }
});

function checkHead({ report }: RuleContext, section: Section, value: Readonly<Record<string, unknown>>): void {
  const expected = SECTIONS[section].kind;
  for (const key of ['kind', 'apiVersion'] as const) {
    if (value[key] === undefined || value[key] === SECTIONS[section][key]) continue;
    report('KX2759', { section, key, value: shown(value[key]), expected }, ['spec', 'kubernetes', section, key]);
  }
}

function checkFields(
  context: RuleContext,
  section: Section,
  value: Readonly<Record<string, unknown>>,
  above: readonly string[],
  suggest: Suggest,
): void {
  const { kind } = SECTIONS[section];
  const version = versionOf(context);
  for (const [key, inner] of Object.entries(value)) {
    const path = [...above, key];
    const at = ['spec', 'kubernetes', section, ...path];
    const name = path.join('.');
    const own = Object.hasOwn(OWN_FIELDS[kind], name) ? OWN_FIELDS[kind][name] : undefined;
    const setting = settingOf(kind, name);
    if (own !== undefined) context.reportKey('KX2764', { key: name, kind, field: own }, at);
    else if (setting === undefined) {
      const suggestion = suggest(kind, name);
      if (suggestion === undefined) context.reportKey('KX2762', { kind, field: name, version }, at);
      else context.reportKey('KX2760', { kind, field: name, version, suggestion }, at);
    } else if (!knowsSetting(setting, version)) {
      context.reportKey('KX2761', { field: name, kind, version, known: setting.known }, at);
    } else if (!isFieldValue(inner, setting.type)) {
      const example = `${key}: ${EXAMPLE_VALUES[setting.type]}`;
      context.report('KX2763', { field: name, kind, type: setting.type, value: shown(inner), example }, at);
    } else if (setting.type === 'map' && hasFields(kind, name, version)) {
      checkFields(context, section, (inner ?? {}) as Readonly<Record<string, unknown>>, path, suggest);
    }
  }
}

function hasFields(kind: ConfigKind, name: string, version: string): boolean {
  return settingsOfVersion(kind, version).some((field) => field.startsWith(`${name}.`));
}

function versionOf({ cluster }: RuleContext): string {
  return cluster.spec.kubernetes.version.replace(/^v/, '');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? '');
}

const NFTABLES_BETA = 31;

const nftables = rule(['spec.kubernetes.version', 'spec.kubernetes.proxyMode'], ({ cluster, report }) => {
  const { featureGates, proxyMode, version } = cluster.spec.kubernetes;
  const early = Number(version.split('.')[1]) < NFTABLES_BETA && featureGates['NFTablesProxyMode'] !== true;
  if (proxyMode === 'nftables' && early) report('KX2765', { version }, ['spec', 'kubernetes', 'proxyMode']);
});

const ipvsOnly = rule(['spec.kubernetes.proxyMode'], ({ cluster, isSet, report }) => {
  const { proxyMode } = cluster.spec.kubernetes;
  // What kubexm chooses by itself is never ipvs.
  if (proxyMode === 'ipvs' || !isSet('spec.kubernetes.kubeProxyConfiguration.ipvs')) return;
  const params = { section: 'kubeProxyConfiguration.ipvs', field: 'kubernetes.proxyMode', value: proxyMode };
  report(
    'KX2610',
    params,
    ['spec', 'kubernetes', 'kubeProxyConfiguration', 'ipvs'],
    ['spec', 'kubernetes', 'proxyMode'],
  );
});

/** Rules over the configuration files of the kubelet and of kube-proxy. */
export const componentConfigRules: readonly Rule[] = [fields, nftables, ipvsOnly];
