import { lines, type Script, sh } from '../../model/script.ts';
import { FIREWALL_FUNCTIONS, TRUSTED, type ZoneFiles } from './firewall.ts';
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
export const STOP_FIREWALLS = lines(FIREWALL_FUNCTIONS, sh`kxo_stop_firewalls`);

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

/** Where firewalld is changed: what it does now, and what it starts with. */
const TOOLS = { runtime: sh`"$kxo_now"`, permanent: sh`"$kxo_kept"` } as const;

/** Adds or removes items in the zones they belong to. */
function change(
  which: keyof typeof TOOLS,
  verb: 'add' | 'remove',
  zone: Script,
  items: readonly FirewalldItem[],
): Script {
  const kinds = ['port', 'rich-rule', 'source'] as const;
  return lines(
    ...kinds.map((kind) => {
      const words = options(
        verb,
        items.filter((item) => item.kind === kind),
      );
      if (words.length === 0) return sh``;
      return sh`kxo_change_zone ${TOOLS[which]} ${kind === 'source' ? sh`${TRUSTED}` : zone} ${words}`;
    }),
  );
}

/** Lets items in: in what firewalld starts with, and now if it runs. What is let in already stays as it is. */
export function openFirewalld(zone: string, items: readonly FirewalldItem[]): Script {
  const at: Script = { script: '"$zone"' };
  return lines(
    FIREWALL_FUNCTIONS,
    sh`kxo_firewalld
[ -z "$kxo_kept" ] || zone=$(kxo_zone "\${kxo_now:-$kxo_kept}" ${zone}) || exit 1`,
    change('permanent', 'add', at, items),
    change('runtime', 'add', at, items),
  );
}

/** Takes away exactly what was added. Files of zones are then as they were, byte for byte. */
export function closeFirewalld(before: FirewalldBefore): Script {
  const at = sh`${before.zone}`;
  const ports = (texts: readonly string[]) => texts.map((text): FirewalldItem => ({ kind: 'port', text }));
  const put = (which: 'runtime' | 'permanent') =>
    lines(
      change(which, 'remove', at, before.added[which]),
      before.added[which].some((item) => item.kind === 'port')
        ? change(which, 'add', at, ports(before.ports[which]))
        : sh``,
    );
  return lines(
    FIREWALL_FUNCTIONS,
    sh`kxo_firewalld`,
    put('permanent'),
    put('runtime'),
    ...before.zones.map(({ zone, text, old, file }) => {
      const bytes = file.type === 'file' ? [file.mode, `${file.uid}:${file.gid}`, file.content] : [];
      return sh`kxo_tidy_zone "$kxo_kept" ${zone} ${text} ${old ? 'old' : ''} ${bytes}`;
    }),
  );
}

/** Adds rules to ufw, in its own words. Needs the functions that `openFirewalld` brings. */
export function openUfw(rules: readonly (readonly string[])[]): Script {
  return lines(...rules.map((words) => sh`kxo_ufw_add ${words}`));
}

/** Takes rules out of ufw. One that is gone by now is no failure. */
export function closeUfw(rules: readonly string[]): Script {
  if (rules.length === 0) return sh``;
  return sh`${lines(...rules.map((rule) => sh`ufw --force delete ${rule.split(' ')} >/dev/null || exit 1`))}`;
}
