import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';
import { type ResolverWant, replacedWords, wantedLines } from './resolv.ts';
import { lookAtNetconfig } from './resolv-netconfig.ts';
import { lookAbove, lookAtTexts } from './text-state.ts';

/**
 * Who writes /etc/resolv.conf: nobody but people (`plain`), systemd-resolved, NetworkManager, SUSE's netconfig, or something
 * that is not known well enough to be changed.
 */
export type ResolverForm = 'plain' | 'resolved' | 'network-manager' | 'netconfig' | 'foreign';

/** The file that the C library reads. */
export const RESOLV_CONF = '/etc/resolv.conf';
/** Our file for systemd-resolved. */
export const RESOLVED_FILE = '/etc/systemd/resolved.conf.d/99-kubexm.conf';
/** Our file for NetworkManager. */
export const NETWORK_MANAGER_FILE = '/etc/NetworkManager/conf.d/99-kubexm-dns.conf';

const RESOLVED_LIVE = '/run/systemd/resolve/resolv.conf';

/** `kxo_resolv` sets kxo_form, and kxo_by to who else writes the file; and what reloads daemons. */
export const FORM = rawScript(shellSource(new URL('./resolv.sh', import.meta.url)));

/** A read-only script that tells who writes resolv.conf, what is in it, and what is in our files. */
export function lookAtResolver(): Script {
  return lines(
    FORM,
    sh`kxo_resolv_look ${RESOLVED_LIVE}`,
    lookAtNetconfig(),
    lookAtTexts({ plain: RESOLV_CONF, resolved: RESOLVED_FILE, 'network-manager': NETWORK_MANAGER_FILE }),
    lookAbove(RESOLVED_FILE),
    lookAbove(NETWORK_MANAGER_FILE),
  );
}

/** What `lookAtResolver` printed. `live` is undefined where nobody has written the file yet. */
export interface SeenResolver {
  readonly form: ResolverForm;
  readonly by: string;
  readonly live: string | undefined;
}

/** Reads what `lookAtResolver` printed. */
export function seenResolver(answer: string): SeenResolver {
  const all = answer.split('\n');
  const [, form = 'foreign', by = ''] = /^form (\S+) ?(.*)$/m.exec(answer) ?? [];
  const live = all.filter((line) => line.startsWith('|')).map((line) => `${line.slice(1)}\n`);
  return { form: form as ResolverForm, by, live: all.includes('live') ? live.join('') : undefined };
}

/** Fills the file `$t` with what the plain form is to hold: the wanted lines first, all others as they were. */
export function editPlain(want: ResolverWant): Script {
  const pattern = `^(${replacedWords(want).join('|')})([[:space:]]|$)`;
  return sh`{ printf '%s\\n' ${wantedLines(want)}; [ ! -f ${RESOLV_CONF} ] || grep -vE ${pattern} ${RESOLV_CONF} || [ $? = 1 ]; } >"$t"`;
}

/** Lets systemd-resolved read its files again. With a server, waits until it is in use. Needs `FORM`. */
export function reloadResolved(server = ''): Script {
  return sh`kxo_reload_resolved ${RESOLVED_LIVE} ${server}`;
}

/** Lets NetworkManager read its files again. With a server, waits until it is in use. Needs `FORM`. */
export function reloadNetworkManager(server = ''): Script {
  return sh`kxo_reload_network_manager ${server}`;
}
