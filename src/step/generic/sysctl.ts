import {
  isSetting,
  lookAtSettings,
  needSettings,
  type OtherSetting,
  overriding,
  plainValue,
  seenSettings,
  setSetting,
  settingName,
} from '../../host/os/sysctl.ts';
import { lookAbove, lookAtTexts, missingAbove, textOf } from '../../host/os/text-state.ts';
import { lines } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';
import { hasText, isText, putBackText, type TextBefore, textChange, writeText } from './lib/small-text.ts';

/** Settings of the kernel: as they are now, and whenever the machine starts. */
export interface Sysctl {
  readonly values: Readonly<Record<string, string | number>>;
  /** Keys that a kernel, or a network namespace, may not have: then they are left out. */
  readonly optional?: readonly string[];
  /** Name of the file in /etc/sysctl.d. Default: 99-kubexm-cri.conf */
  readonly file?: string;
  /** Another file that sets a key otherwise at the next start is reported only. Default: it is a failure. */
  readonly mayBeOverridden?: boolean;
}

/** What is set. A type, so that it is Json too. */
export type SetSettings = {
  readonly values: Readonly<Record<string, string>>;
  /** Optional keys that there are none of here. */
  readonly skipped: readonly string[];
  /** Lines of other files that will win at the next start: `/etc/sysctl.conf: net.ipv4.ip_forward = 0`. */
  readonly overridden: readonly string[];
};

interface Before {
  readonly file: TextBefore;
  /** The live values that get changed. */
  readonly live: Readonly<Record<string, string>>;
}

const HEADER = '# Written by kubexm: settings that the cluster needs.';

function pathOf(want: Sysctl): string {
  const name = want.file ?? '99-kubexm-cri.conf';
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*\.conf$/.test(name))
    throw invalid(`${JSON.stringify(name)} is no name of a .conf file`);
  return `/etc/sysctl.d/${name}`;
}

function valuesOf(want: Sysctl): readonly (readonly [string, string])[] {
  return Object.entries(want.values).map(([key, value]) => {
    if (!isSetting(key)) throw invalid(`${JSON.stringify(key)} is no setting of the kernel`);
    if (/[\n\0]/.test(String(value)) || plainValue(value) === '') throw invalid(`the setting ${key} has no value`);
    return [key, plainValue(value)];
  });
}

/** A leading dash lets systemd pass over what is not there. */
function fileText(want: Sysctl): string {
  const optional = new Set(want.optional);
  const body = valuesOf(want).map(([key, value]) => `${optional.has(key) ? '-' : ''}${key} = ${value}`);
  return [HEADER, ...body, ''].join('\n');
}

function said(other: OtherSetting): string {
  return `${other.file}: ${other.key} = ${other.value}`;
}

/** Sets the kernel's settings now and for every start. */
export const sysctl = defineStep<Sysctl>()({
  kind: 'sysctl',
  description:
    'Kernel settings, live and in a file of /etc/sysctl.d; finds other files that would win at the next start.',
  title: (want) => `kernel settings of ${want.file ?? '99-kubexm-cri.conf'}`,
  probe: (want) =>
    lines(
      lookAtSettings(valuesOf(want).map(([key]) => key)),
      lookAtTexts({ file: pathOf(want) }),
      lookAbove(pathOf(want)),
    ),
  judge: (output, want) => {
    const optional = new Set(want.optional);
    const wanted = valuesOf(want);
    const keys = wanted.map(([key]) => key);
    const { live, others } = seenSettings(output.stdout, keys);
    const changes: Change[] = [];
    const before: Record<string, string> = {};
    for (const [key, value] of wanted) {
      const now = live[key];
      if (now === undefined) {
        if (!optional.has(key)) changes.push({ what: key, from: 'no such setting', to: value });
      } else if (now !== value) {
        changes.push({ what: key, from: now, to: value });
        before[key] = now;
      }
    }
    const byName = new Map(wanted.map(([key, value]) => [settingName(key), value]));
    const winners = overriding(others, pathOf(want)).filter((one) => byName.get(one.key) !== one.value);
    if (want.mayBeOverridden !== true) {
      for (const one of winners)
        changes.push({
          what: `${one.key} at the next start`,
          from: `${one.value} (${one.file})`,
          to: byName.get(one.key) ?? '',
        });
    }
    const file = textOf(output.stdout, 'file');
    if (!hasText(file, fileText(want))) changes.push(textChange(pathOf(want), file, fileText(want)));
    if (changes.length > 0)
      return needed<Before>({ file: { file, made: missingAbove(output.stdout, pathOf(want)) }, live: before }, changes);
    return satisfied<SetSettings>({
      values: live,
      skipped: keys.filter((key) => live[key] === undefined),
      overridden: winners.map(said),
    });
  },
  apply: (_host, want) => {
    const optional = new Set(want.optional);
    const values = valuesOf(want);
    return lines(
      needSettings(values.map(([key]) => key).filter((key) => !optional.has(key))),
      writeText(pathOf(want), fileText(want)),
      ...values.map(([key, value]) => setSetting(key, value)),
    );
  },
  saves: (want) => [pathOf(want)],
  owns: (want) => valuesOf(want).map(([key]) => `sysctl:${settingName(key)}`),
  revert: (_host, want, before) =>
    lines(
      ...Object.entries(before.live)
        .toReversed()
        .map(([key, old]) => setSetting(key, old)),
      putBackText(pathOf(want), before.file, isText(fileText(want))),
    ),
  example: {
    values: { 'net.ipv4.ip_forward': 1, 'net.bridge.bridge-nf-call-iptables': 1 },
    optional: ['net.bridge.bridge-nf-call-iptables'],
  },
});
