import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';
import { type FirewalldItem, portCovered } from './firewall-rule.ts';
import { TEXT_FUNCTION, type TextState, textOf } from './text-state.ts';

/** What a zone of firewalld lets in, in one of its two configurations. */
export interface SeenZone {
  readonly ports: readonly string[];
  readonly rules: readonly string[];
  readonly sources: readonly string[];
  /** As firewalld prints it, to see later whether it is the same again. */
  readonly text: string;
}

/** What is known of a zone's own files. A type, so that it is Json too. */
export type ZoneFiles = {
  readonly zone: string;
  /** Its file in /etc, if somebody has changed it from what the package brings. */
  readonly file: TextState;
  /** A copy of an earlier one, which firewalld leaves there. */
  readonly old: boolean;
};

/** firewalld as it was found. */
export interface SeenFirewalld {
  readonly active: boolean;
  readonly enabled: boolean;
  /** The zone that rules go to. */
  readonly zone: string;
  /** By `runtime NAME` and `permanent NAME`. */
  readonly zones: ReadonlyMap<string, SeenZone>;
  readonly files: readonly ZoneFiles[];
}

/** The firewalls of a machine that have a manager; what others keep in nftables is their own. */
export interface SeenFirewall {
  readonly firewalld: SeenFirewalld;
  readonly ufw: { readonly enabled: boolean; readonly rules: readonly string[] };
}

/** The zone of firewalld that lets everything in from its sources. */
export const TRUSTED = 'trusted';

/** What scripts about firewalls are made of. */
export const FIREWALL_FUNCTIONS = rawScript(shellSource(new URL('./firewall.sh', import.meta.url)));

/** A read-only script that tells which firewalls there are. With `zone`, also what they let in; '' is the default zone. */
export function lookAtFirewall(zone: string | undefined, trusted: boolean): Script {
  if (zone === undefined) return lines(FIREWALL_FUNCTIONS, sh`kxo_firewalls`);
  return lines(FIREWALL_FUNCTIONS, TEXT_FUNCTION, sh`kxo_firewalls_let_in ${zone} ${trusted ? [TRUSTED] : []}`);
}

/** Reads what `lookAtFirewall` printed. */
export function seenFirewall(answer: string): SeenFirewall {
  const all = answer.split('\n');
  const [, , active, unit] = all.find((line) => line.startsWith('firewalld '))?.split(' ') ?? [];
  const blocks = new Map<string, string[]>();
  for (const line of all) {
    const at = line.indexOf('|');
    if (at < 0) continue;
    const known = blocks.get(line.slice(0, at));
    if (known) known.push(line.slice(at + 1));
    else blocks.set(line.slice(0, at), [line.slice(at + 1)]);
  }
  const rules = (blocks.get('ufw') ?? []).filter((line) => line.startsWith('ufw '));
  return {
    firewalld: {
      active: active === 'active',
      enabled: unit === 'enabled',
      zone: all.find((line) => line.startsWith('use '))?.slice(4) ?? '',
      zones: new Map([...blocks].filter(([name]) => name !== 'ufw').map(([name, text]) => [name, seenZone(text)])),
      files: all.flatMap((line) => {
        const [, zone, old] = /^zone (\S+) ([01])$/.exec(line) ?? [];
        return zone === undefined ? [] : [{ zone, file: textOf(answer, `zone-${zone}`), old: old === '1' }];
      }),
    },
    ufw: {
      enabled: all.includes('ufw-enabled'),
      rules: rules.map((line) => line.slice(4).replace(/ comment '.*'$/, '')),
    },
  };
}

function seenZone(text: readonly string[]): SeenZone {
  const words = (name: string) =>
    text
      .find((line) => line.trim().startsWith(`${name}:`))
      ?.trim()
      .slice(name.length + 1)
      .split(/\s+/)
      .filter((word) => word !== '') ?? [];
  const start = text.findIndex((line) => line.trim().startsWith('rich rules:'));
  const rules = start < 0 ? [] : text.slice(start + 1).map((line) => line.trim());
  return {
    ports: words('ports'),
    sources: words('sources'),
    rules: rules.filter((line) => line.startsWith('rule ')),
    // Whether an interface uses it now says nothing about the zone.
    text: text.filter((line) => /^\s/.test(line)).join('\n'),
  };
}

/** The items that a configuration does not let in yet; `literally`: that it does not have in these very words. */
export function missingItems(
  firewalld: SeenFirewalld,
  which: 'runtime' | 'permanent',
  items: readonly FirewalldItem[],
  literally = false,
): readonly FirewalldItem[] {
  if (which === 'runtime' && !firewalld.active) return [];
  return items.filter(({ kind, text }) => {
    const seen = firewalld.zones.get(`${which} ${kind === 'source' ? TRUSTED : firewalld.zone}`);
    if (seen === undefined) return true;
    if (kind === 'source') return !seen.sources.includes(text);
    if (kind === 'rich-rule') return !seen.rules.includes(text);
    return literally ? !seen.ports.includes(text) : !portCovered(seen.ports, text);
  });
}

/** The rules that ufw does not have yet: one without a protocol lets every protocol in. */
export function missingRules(there: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter(
    (rule) => !there.includes(rule) && !there.includes(rule.replace(/(?:\/| proto )(?:tcp|udp)$/, '')),
  );
}
