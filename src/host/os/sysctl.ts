import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

/** The file of a kernel setting. As sysctl has it: the first separator says which one of `.` and `/` is meant. */
export function settingPath(key: string): string {
  const first = /[./]/.exec(key)?.[0];
  const path = first === '.' ? key.replace(/[./]/g, (c) => (c === '.' ? '/' : '.')) : key;
  return `/proc/sys/${path}`;
}

/** A key as sysctl prints it, so that two ways to write it can be compared: `net.ipv4.ip_forward`. */
export function settingName(key: string): string {
  return settingPath(key)
    .slice('/proc/sys/'.length)
    .replace(/[./]/g, (c) => (c === '/' ? '.' : '/'));
}

/** Whether a key can be one: it must not lead out of /proc/sys, nor need quoting in a file of settings. */
export function isSetting(key: string): boolean {
  return /^[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_:@-]+)+$/.test(key);
}

/** A value with its white space as the kernel prints it, or as people write it, made one. */
export function plainValue(value: string | number): string {
  return String(value).trim().replace(/\s+/g, ' ');
}

/** A line of another file of settings. */
export interface OtherSetting {
  readonly file: string;
  readonly key: string;
  readonly value: string;
}

/** What a probe said: live values by key as it was asked for, and lines about these keys in all files of settings. */
export interface SeenSettings {
  readonly live: Readonly<Record<string, string>>;
  readonly others: readonly OtherSetting[];
}

const FUNCTIONS = rawScript(shellSource(new URL('./sysctl.sh', import.meta.url)));

/**
 * A read-only script that tells the live values of settings, and what files of settings say about them. Not by the shell's own
 * `read`: the kernel gives a number only to who asks for all of it at once.
 */
export function lookAtSettings(keys: readonly string[]): Script {
  const pattern = keys.map((key) => settingName(key).replace(/[./]/g, '[./]')).join('|');
  return lines(
    FUNCTIONS,
    sh`grep -H '' -- ${keys.map(settingPath)} 2>/dev/null
kxo_settings ${`^[[:space:]]*-?(${pattern})[[:space:]]*=`}`,
  );
}

/** Reads what `lookAtSettings` printed. */
export function seenSettings(answer: string, keys: readonly string[]): SeenSettings {
  const all = answer.split('\n');
  const live = keys.flatMap((key) => {
    const start = `${settingPath(key)}:`;
    const line = all.find((one) => one.startsWith(start));
    return line === undefined ? [] : [[key, plainValue(line.slice(start.length))] as const];
  });
  const others = all.flatMap((line) => {
    const match = /^line ([^:]*):\s*-?([^=\s]+)\s*=(.*)$/.exec(line);
    if (match === null) return [];
    return [{ file: match[1] ?? '', key: settingName(match[2] ?? ''), value: plainValue(match[3] ?? '') }];
  });
  return { live: Object.fromEntries(live), others };
}

/** The lines of other files that win over this one at the next start: /etc/sysctl.conf last, the rest by name. */
export function overriding(others: readonly OtherSetting[], file: string): readonly OtherSetting[] {
  const rank = (path: string) => (path === '/etc/sysctl.conf' ? '\u{10ffff}' : path.slice(path.lastIndexOf('/') + 1));
  const last = new Map<string, OtherSetting>();
  const later = others.filter((one) => one.file !== file && rank(one.file) > rank(file));
  for (const one of later.toSorted((a, b) => (rank(a.file) < rank(b.file) ? -1 : Number(rank(a.file) > rank(b.file)))))
    last.set(one.key, one);
  return [...last.values()];
}

/** What a missing setting is a part of, where that is a module of the kernel. */
const PARTS: readonly (readonly [string, string])[] = [
  ['net.bridge.', 'br_netfilter'],
  ['net.netfilter.nf_conntrack', 'nf_conntrack'],
  ['net.nf_conntrack', 'nf_conntrack'],
  ['net.ipv4.vs.', 'ip_vs'],
  ['net.ipv6.', 'ipv6'],
];

/** Ends the script if the kernel does not have one of these settings. */
export function needSettings(keys: readonly string[]): Script {
  return lines(
    ...keys.map((key) => {
      const part = PARTS.find(([start]) => settingName(key).startsWith(start))?.[1];
      const why =
        part === undefined
          ? 'this kernel or network namespace has no such setting'
          : `load the kernel module ${part} first`;
      return sh`[ -e ${settingPath(key)} ] || { echo ${`the setting ${key} does not exist: ${why}`} >&2; exit 1; }`;
    }),
  );
}

/** Gives a setting a value now, where there is such a setting. */
export function setSetting(key: string, value: string): Script {
  const path = settingPath(key);
  return sh`if [ -e ${path} ]; then printf '%s\\n' ${value} >${path} || { echo ${`the kernel does not take ${value} for ${key}`} >&2; exit 1; }; fi`;
}
