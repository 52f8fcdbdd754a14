import { describe, expect, test } from 'vitest';
import fields from '../../../data/kubernetes/config-fields.json' with { type: 'json' };
import flags from '../../../data/kubernetes/flags.json' with { type: 'json' };
import {
  isFieldValue,
  isFlagValue,
  knowsSetting,
  settingOf,
  settingsOfVersion,
  type ValueType,
} from './component-flags.ts';
import { OWN_FIELDS, OWN_FLAGS } from './own-settings.ts';
import { SUPPORTED_KUBERNETES } from './text.ts';

describe('the tables', () => {
  test('are of the last version that kubexm installs', () => {
    for (const { upTo } of [flags, fields]) expect(upTo.split('.')[1]).toBe(String(SUPPORTED_KUBERNETES.last));
  });

  test.each([
    ['kubelet', 'pod-infra-container-image', '1.34.2', '1.35.0'],
    ['kubelet', 'cloud-config', '1.33.0', '1.34.0'],
    ['kubelet', 'register-schedulable', '1.33.0', '1.34.0'],
    ['kubelet', 'keep-terminated-pod-volumes', '1.30.0', '1.31.0'],
    ['kube-apiserver', 'cloud-provider', '1.32.0', '1.33.0'],
    ['kube-proxy', 'proxy-port-range', '1.30.0', '1.31.0'],
    ['kube-controller-manager', 'volume-host-cidr-denylist', '1.30.0', '1.31.0'],
  ] as const)('%s: --%s is in %s and not in %s', (component, flag, last, first) => {
    const setting = settingOf(component, flag);
    expect(setting && knowsSetting(setting, last)).toBe(true);
    expect(setting && knowsSetting(setting, first)).toBe(false);
  });

  test.each([
    ['kube-apiserver', 'audit-webhook-batch-max-size'],
    ['kube-apiserver', 'oidc-issuer-url'],
    ['kube-apiserver', 'authorization-webhook-cache-unauthorized-ttl'],
    ['kube-apiserver', 'default-not-ready-toleration-seconds'],
    ['kube-controller-manager', 'concurrent-rc-syncs'],
    ['kube-controller-manager', 'leader-elect-lease-duration'],
    ['kube-scheduler', 'authentication-skip-lookup'],
    ['kube-proxy', 'ipvs-strict-arp'],
    ['kubelet', 'image-credential-provider-bin-dir'],
    ['kubelet', 'v'],
  ] as const)('%s: --%s is in every version', (component, flag) => {
    expect(settingOf(component, flag)?.known).toBe('*');
  });

  test('know every setting that kubexm calls its own', () => {
    for (const own of [OWN_FLAGS, OWN_FIELDS]) {
      for (const [owner, names] of Object.entries(own)) {
        const known = settingsOfVersion(owner as keyof typeof OWN_FLAGS, '1.34.2');
        expect(
          Object.keys(names).filter((name) => !known.includes(name)),
          owner,
        ).toEqual([]);
      }
    }
  });
});

test.each<[ValueType, readonly string[], readonly string[]]>([
  ['bool', ['true', 'False', '0', 't'], ['yes', 'on', '', 'tRUE']],
  ['int', ['0', '-1', '0x10', '+5'], ['', '1.5', '10s', 'ten']],
  ['duration', ['0', '1m30s', '1.5h', '-2ms'], ['5', '5 s', '', '1d']],
  ['number', ['0.5', '1e3'], ['', 'half']],
  ['text', ['', 'anything'], []],
])('a flag of type %s', (type, good, wrong) => {
  expect(good.filter((text) => !isFlagValue(text, type))).toEqual([]);
  expect(wrong.filter((text) => isFlagValue(text, type))).toEqual([]);
});

test.each<[ValueType, readonly unknown[], readonly unknown[]]>([
  ['bool', [true, null], ['true', 1]],
  ['int', [0, -5], ['5', 1.5, true]],
  ['number', [0.5, 2], ['2']],
  ['duration', ['5s', '0'], [5, '5', 'soon']],
  ['text', ['', 'a'], [1, true, ['a']]],
  ['list', [[], [1]], ['a', { a: 1 }]],
  ['map', [{}, { a: [] }], [[], 'a']],
  ['texts', [{ a: 'b' }], [{ a: 1 }, [], 'a']],
  ['bools', [{ a: true }], [{ a: 'true' }]],
  ['any', ['a', 1, []], []],
])('a field of type %s', (type, good, wrong) => {
  expect(good.filter((value) => !isFieldValue(value, type))).toEqual([]);
  expect(wrong.filter((value) => isFieldValue(value, type))).toEqual([]);
});
