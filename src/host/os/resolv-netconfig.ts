import { lines, type Script, sh } from '../../model/script.ts';
import type { ResolverWant } from './resolv.ts';

/** Where SUSE's netconfig has its settings. */
export const NETCONFIG_FILE = '/etc/sysconfig/network/config';

const NAMES = {
  nameservers: 'NETCONFIG_DNS_STATIC_SERVERS',
  search: 'NETCONFIG_DNS_STATIC_SEARCHLIST',
  options: 'NETCONFIG_DNS_RESOLVER_OPTIONS',
} as const;

/** Variables of a sysconfig file, as they stand there, quotes included; null for one that is not there. */
export type SysconfigValues = { readonly [name: string]: string | null };

/** A read-only script that tells the variables that netconfig takes name servers from. */
export function lookAtNetconfig(): Script {
  return sh`[ ! -f ${NETCONFIG_FILE} ] || grep -E ${`^(${Object.values(NAMES).join('|')})=`} ${NETCONFIG_FILE} | while IFS= read -r line; do printf 'variable %s\\n' "$line"; done`;
}

/** Reads what `lookAtNetconfig` printed: the last one of a name counts, as in a shell. */
export function seenNetconfig(answer: string): SysconfigValues {
  const found: Record<string, string | null> = Object.fromEntries(Object.values(NAMES).map((name) => [name, null]));
  for (const match of answer.matchAll(/^variable ([A-Z_]+)=(.*)$/gm)) found[match[1] ?? ''] = match[2] ?? '';
  return found;
}

/** The variables that say what is wanted. */
export function wantedNetconfig(want: ResolverWant): SysconfigValues {
  const quoted = (values: readonly string[]) => `"${values.join(' ')}"`;
  return {
    [NAMES.nameservers]: quoted(want.nameservers),
    ...(want.search !== undefined && { [NAMES.search]: quoted(want.search) }),
    ...(want.options !== undefined && { [NAMES.options]: quoted(want.options) }),
  };
}

/**
 * Gives variables these values, or takes them out. The rest of the file stays as it is. `start` and `place` make the file
 * `$t` and give it the name `$p`.
 */
export function editNetconfig(values: SysconfigValues, start: Script, place: Script): Script {
  const entries = Object.entries(values);
  const expressions = entries.flatMap(([name, value]) => [
    '-e',
    value === null ? `/^${name}=/d` : `s/^${name}=.*/${name}=${value.replace(/[\\/&]/g, '\\$&')}/`,
  ]);
  const added = entries.map(([name, value]) =>
    value === null ? sh`` : sh`grep -q ${`^${name}=`} "$p" || printf '%s\\n' ${`${name}=${value}`} >>"$t"`,
  );
  return lines(
    sh`p=${NETCONFIG_FILE}; t=\${p%/*}/.kubexm-config
[ -f "$p" ] || kxg_fail "netconfig has no settings in $p"`,
    start,
    sh`sed ${expressions} "$p" >"$t" && chown -- "$(stat -c %u:%g -- "$p")" "$t" && chmod "$(stat -c %a -- "$p")" "$t" || kxg_fail "cannot write $t"`,
    ...added,
    place,
  );
}

/** Lets netconfig rewrite resolv.conf. */
export const RELOAD_NETCONFIG = sh`why=$(netconfig update -f -m dns-resolver 2>&1) || kxg_fail "netconfig does not write /etc/resolv.conf: $why"`;
