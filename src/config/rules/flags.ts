import {
  EXAMPLE_VALUES,
  type FlagComponent,
  isFlagValue,
  knowsSetting,
  settingOf,
} from '../../model/cluster/component-flags.ts';
import { OWN_FLAGS } from '../../model/cluster/own-settings.ts';
import type { Path } from '../tree.ts';
import { type Rule, type RuleContext, rule } from './rule.ts';
import { type Suggest, suggestions } from './suggestions.ts';

/** Where the flags of each component are written. */
const LISTS = {
  kubeletArgs: 'kubelet',
  apiserverArgs: 'kube-apiserver',
  controllerManagerArgs: 'kube-controller-manager',
  schedulerArgs: 'kube-scheduler',
  kubeProxyArgs: 'kube-proxy',
} as const satisfies Record<string, FlagComponent>;

/** A flag as it was written. */
interface Given {
  readonly component: FlagComponent;
  readonly flag: string;
  readonly value: string | undefined;
  readonly path: Path;
}

const known = rule(['spec.kubernetes.version'], (context) => {
  const version = context.cluster.spec.kubernetes.version.replace(/^v/, '');
  const suggest = suggestions(version);
  for (const [list, component] of entries()) {
    const seen = new Map<string, Path>();
    for (const given of givenIn(context, list, component)) {
      checkFlag(context, given, version, suggest);
      checkTwice(context, given, seen);
    }
  }
});

function entries(): readonly (readonly [keyof typeof LISTS, FlagComponent])[] {
  return Object.entries(LISTS) as readonly (readonly [keyof typeof LISTS, FlagComponent])[];
}

function givenIn({ document }: RuleContext, list: keyof typeof LISTS, component: FlagComponent): readonly Given[] {
  return document.spec.kubernetes[list].map((argument, i) => {
    const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    // Components take both spellings for one flag.
    return { component, flag: name.replaceAll('_', '-'), value, path: ['spec', 'kubernetes', list, i] };
  });
}

function checkFlag(
  { report }: RuleContext,
  { component, flag, value, path }: Given,
  version: string,
  suggest: Suggest,
): void {
  const field = Object.hasOwn(OWN_FLAGS[component], flag) ? OWN_FLAGS[component][flag] : undefined;
  const setting = settingOf(component, flag);
  if (field !== undefined && field !== '') report('KX2754', { component, flag, field }, path);
  else if (field === '') report('KX2755', { component, flag }, path);
  else if (setting === undefined) {
    const suggestion = suggest(component, flag);
    if (suggestion === undefined) report('KX2753', { component, flag, version }, path);
    else report('KX2751', { component, flag, version, suggestion }, path);
  } else if (!knowsSetting(setting, version)) {
    report('KX2752', { component, flag, version, known: setting.known }, path);
  } else {
    const { type } = setting;
    // Without a value a flag is on, which only a switch can be.
    if (isFlagValue(value ?? 'true', type) && (value !== undefined || type === 'bool')) return;
    const example = `--${flag}=${EXAMPLE_VALUES[type === 'list' ? 'text' : type]}`;
    report('KX2757', { component, flag, value: value ?? '', type, example }, path);
  }
}

function checkTwice({ report }: RuleContext, { component, flag, path }: Given, seen: Map<string, Path>): void {
  const other = seen.get(flag);
  const type = settingOf(component, flag)?.type;
  if (other === undefined) seen.set(flag, path);
  else if (type !== undefined && type !== 'list' && type !== 'any') report('KX2756', { component, flag }, path, other);
}

/** Flags of the kubelet whose fields are not only spelt otherwise. */
const FIELD_OF: Readonly<Record<string, string>> = {
  'image-gc-high-threshold': 'imageGCHighThresholdPercent',
  'image-gc-low-threshold': 'imageGCLowThresholdPercent',
  'minimum-image-ttl-duration': 'imageMinimumGCAge',
  'kube-api-content-type': 'contentType',
  'event-qps': 'eventRecordQPS',
  'registry-qps': 'registryPullQPS',
  'reserved-cpus': 'reservedSystemCPUs',
  'rotate-server-certificates': 'serverTLSBootstrap',
  'anonymous-auth': 'authentication.anonymous.enabled',
  'authentication-token-webhook': 'authentication.webhook.enabled',
  'authorization-mode': 'authorization.mode',
};

const oncePerSetting = rule([], (context) => {
  const { kubeletConfiguration } = context.document.spec.kubernetes;
  const names = new Map(Object.keys(kubeletConfiguration).map((key) => [plain(key), key]));
  for (const { flag, path } of givenIn(context, 'kubeletArgs', 'kubelet')) {
    const nested = Object.hasOwn(FIELD_OF, flag) ? FIELD_OF[flag] : undefined;
    const field =
      nested === undefined ? names.get(plain(flag)) : isThere(kubeletConfiguration, nested) ? nested : undefined;
    if (field === undefined) continue;
    const at = ['spec', 'kubernetes', 'kubeletConfiguration', ...field.split('.')];
    context.report('KX2758', { flag, field: `kubeletConfiguration.${field}` }, path, at);
  }
});

function plain(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}

function isThere(value: unknown, path: string): boolean {
  const found = path
    .split('.')
    .reduce<unknown>(
      (here, key) => (here !== null && typeof here === 'object' ? (here as Record<string, unknown>)[key] : undefined),
      value,
    );
  return found !== undefined;
}

/** Rules over the flags of components. */
export const flagRules: readonly Rule[] = [known, oncePerSetting];
