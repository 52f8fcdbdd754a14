import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { posix } from '../lib/text.ts';
import { FIREWALLD, TRUSTED, type ZoneFiles } from './firewall.ts';
import type { FirewalldItem } from './firewall-rule.ts';

/** What a step added to firewalld, and what is needed to take it away without a trace. A type, so that it is Json too. */
export type FirewalldBefore = {
  readonly zone: string;
  readonly added: { readonly runtime: readonly FirewalldItem[]; readonly permanent: readonly FirewalldItem[] };
  /** The zone's ports before: a range that swallowed one of them takes it away when it goes. */
  readonly ports: { readonly runtime: readonly string[]; readonly permanent: readonly string[] };
  readonly zones: readonly (ZoneFiles & { readonly text: string })[];
};

/** Stops the firewalls that run, and keeps them from being started. */
export const STOP_FIREWALLS = lines(
  FIREWALLD,
  rawScript(posix`
kxo_firewalld
if [ "$kxo_load" = loaded ] && { [ "$kxo_active" = active ] || [ "$kxo_unit" = enabled ]; }; then
  systemctl disable --quiet --now firewalld.service || { echo 'firewalld cannot be stopped' >&2; exit 1; }
fi
if kxo_ufw; then
  ufw --force disable >/dev/null || { echo 'ufw cannot be disabled' >&2; exit 1; }
fi`),
);

/** Starts again what `STOP_FIREWALLS` has stopped. */
export function startFirewalls(before: {
  readonly active: boolean;
  readonly enabled: boolean;
  readonly ufw: boolean;
}): Script {
  return lines(
    before.enabled ? sh`systemctl enable --quiet firewalld.service || exit 1` : sh``,
    before.active ? sh`systemctl start firewalld.service || exit 1` : sh``,
    before.ufw ? sh`ufw --force enable >/dev/null || exit 1` : sh``,
  );
}

function options(verb: 'add' | 'remove', items: readonly FirewalldItem[]): readonly string[] {
  return items.map(({ kind, text }) => `--${verb}-${kind}=${text}`);
}

/** Adds or removes items in the zones they belong to, with the tool in a variable of the shell. It takes one kind at a time. */
function change(
  tool: 'kxo_now' | 'kxo_kept',
  verb: 'add' | 'remove',
  zone: Script,
  items: readonly FirewalldItem[],
): Script {
  const command: Script = { script: `$${tool}` };
  const kinds = ['port', 'rich-rule', 'source'] as const;
  return lines(
    ...kinds.map((kind) => {
      const words = options(
        verb,
        items.filter((item) => item.kind === kind),
      );
      if (words.length === 0) return sh``;
      const at = kind === 'source' ? sh`${TRUSTED}` : zone;
      return sh`why=$(${command} --zone=${at} ${words} 2>&1) || { printf 'firewalld does not change its rules: %s\\n' "$why" >&2; exit 1; }`;
    }),
  );
}

/** Lets items in: in what firewalld starts with, and now if it runs. What is let in already stays as it is. */
export function openFirewalld(zone: string, items: readonly FirewalldItem[]): Script {
  const at: Script = { script: '"$zone"' };
  return lines(
    FIREWALLD,
    sh`kxo_firewalld
if [ -n "$kxo_kept" ]; then
zone=${zone}
[ -n "$zone" ] || zone=$(\${kxo_now:-$kxo_kept} --get-default-zone) || exit 1`,
    change('kxo_kept', 'add', at, items),
    sh`if [ -n "$kxo_now" ]; then :`,
    change('kxo_now', 'add', at, items),
    sh`fi
fi`,
  );
}

/** Takes away exactly what was added. Files of zones are then as they were, byte for byte. */
export function closeFirewalld(before: FirewalldBefore): Script {
  const at = sh`${before.zone}`;
  const ports = (texts: readonly string[]) => texts.map((text): FirewalldItem => ({ kind: 'port', text }));
  const put = (tool: 'kxo_now' | 'kxo_kept', which: 'runtime' | 'permanent') =>
    lines(
      change(tool, 'remove', at, before.added[which]),
      before.added[which].some((item) => item.kind === 'port')
        ? change(tool, 'add', at, ports(before.ports[which]))
        : sh``,
    );
  return lines(
    FIREWALLD,
    sh`kxo_firewalld
if [ -n "$kxo_kept" ]; then :`,
    put('kxo_kept', 'permanent'),
    sh`if [ -n "$kxo_now" ]; then :`,
    put('kxo_now', 'runtime'),
    sh`fi`,
    ...before.zones.map(tidyZone),
    sh`fi`,
  );
}

/** Where a zone says again what it said before, its file gets its old bytes, or goes. */
function tidyZone(one: ZoneFiles & { readonly text: string }): Script {
  const path = `/etc/firewalld/zones/${one.zone}.xml`;
  const { file } = one;
  const back =
    file.type === 'file'
      ? sh`printf %s ${file.content} | base64 -d >${`${path}.kubexm`} && chown -- ${`${file.uid}:${file.gid}`} ${`${path}.kubexm`} && chmod ${file.mode} ${`${path}.kubexm`} && mv -f -- ${`${path}.kubexm`} ${path} || exit 1`
      : sh`$kxo_kept --load-zone-defaults=${one.zone} >/dev/null || exit 1`;
  return sh`if [ -e ${path} ] && [ "$($kxo_kept --zone=${one.zone} --list-all | grep '^[[:space:]]')" = ${one.text} ]; then
  ${back}
  ${one.old ? sh`` : sh`rm -f -- ${`${path}.old`}`}
fi`;
}

/** Adds rules to ufw, in its own words. */
export function openUfw(rules: readonly (readonly string[])[]): Script {
  return lines(
    FIREWALLD,
    sh`if kxo_ufw; then :`,
    ...rules.map(
      (words) => sh`why=$(ufw ${words} 2>&1) || { printf 'ufw does not take a rule: %s\\n' "$why" >&2; exit 1; }`,
    ),
    sh`fi`,
  );
}

/** Takes rules out of ufw. One that is gone by now is no failure. */
export function closeUfw(rules: readonly string[]): Script {
  if (rules.length === 0) return sh``;
  return sh`${lines(...rules.map((rule) => sh`ufw --force delete ${rule.split(' ')} >/dev/null || exit 1`))}`;
}
