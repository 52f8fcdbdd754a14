import {
  networkManagerText,
  parseResolvConf,
  plainAddress,
  type ResolverWant,
  resolvedText,
  resolverProblem,
} from '../../host/os/resolv.ts';
import {
  editPlain,
  FORM,
  lookAtResolver,
  NETWORK_MANAGER_FILE,
  RESOLV_CONF,
  RESOLVED_FILE,
  type ResolverForm,
  reloadNetworkManager,
  reloadResolved,
  type SeenResolver,
  seenResolver,
} from '../../host/os/resolv-forms.ts';
import {
  editNetconfig,
  NETCONFIG_FILE,
  RELOAD_NETCONFIG,
  type SysconfigValues,
  seenNetconfig,
  wantedNetconfig,
} from '../../host/os/resolv-netconfig.ts';
import { missingAbove, type TextState, textOf } from '../../host/os/text-state.ts';
import { lines, type Script, sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid, tempBeside } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';
import { hasText, putBackText, textChange, writeText } from './lib/small-text.ts';

/** Name servers of a machine, search domains and options. What is left out stays as it is. */
export type Resolver = ResolverWant;

/** Through what names are resolved. A type, so that it is Json too. */
export type ResolverResult = {
  readonly form: ResolverForm;
};

interface Before {
  readonly form: ResolverForm;
  /** The variables that get changed, where netconfig reads them. */
  readonly variables?: SysconfigValues;
  /** The file that the step writes in this form. */
  readonly file: TextState;
  readonly made: readonly string[];
}

const FILES = {
  plain: RESOLV_CONF,
  resolved: RESOLVED_FILE,
  'network-manager': NETWORK_MANAGER_FILE,
  netconfig: NETCONFIG_FILE,
} as const;
const START = sh`kxg_new "$t"; t=$kxg_file`;
const PLACE = sh`kxg_place "$t" "$p"`;

function checked(want: Resolver): Resolver {
  const problem = resolverProblem(want);
  if (problem !== undefined) throw invalid(problem);
  return want;
}

/** What is different in what programs get to see. */
function liveChanges(seen: SeenResolver, want: Resolver): readonly Change[] {
  if (seen.live === undefined && seen.form !== 'plain') return [];
  const live = parseResolvConf(seen.live ?? '');
  const servers = want.nameservers.map(plainAddress);
  // What links bring is listed behind ours.
  const others = seen.form === 'resolved' || seen.form === 'netconfig';
  const mayFollow = others || (seen.form === 'plain' && want.keepOthers === true);
  const first = mayFollow ? live.nameservers.slice(0, servers.length) : live.nameservers;
  const changes: Change[] = [];
  const compare = (what: string, now: readonly string[], to: readonly string[]) => {
    if (now.join(' ') !== to.join(' '))
      changes.push({ what, ...(now.length > 0 && { from: now.join(' ') }), to: to.join(' ') });
  };
  compare('name servers', first, servers);
  if (others) {
    const missing = (want.search ?? []).filter((domain) => !live.search.includes(domain));
    if (missing.length > 0) changes.push({ what: 'search domains', to: missing.join(' ') });
    return changes;
  }
  if (want.search !== undefined) compare('search domains', live.search, want.search);
  if (want.options !== undefined) compare('options', live.options.toSorted(), want.options.toSorted());
  return changes;
}

/** What our own file is to hold; the plain form has none. */
function ownText(form: ResolverForm, want: Resolver): string | undefined {
  if (form === 'resolved') return resolvedText(want);
  return form === 'network-manager' ? networkManagerText(want) : undefined;
}

function judgeNetconfig(answer: string, seen: SeenResolver, want: Resolver) {
  const there = seenNetconfig(answer);
  const wanted = wantedNetconfig(want);
  const names = Object.keys(wanted).filter((name) => there[name] !== wanted[name]);
  const changes = [
    ...liveChanges(seen, want),
    ...names.map((name): Change => {
      const from = there[name] ?? undefined;
      return { what: `${NETCONFIG_FILE}: ${name}`, ...(from !== undefined && { from }), to: wanted[name] ?? '' };
    }),
  ];
  if (changes.length === 0) return satisfied<ResolverResult>({ form: 'netconfig' });
  const variables = Object.fromEntries(Object.keys(wanted).map((name) => [name, there[name] ?? null]));
  return needed<Before>({ form: 'netconfig', variables, file: { type: 'absent' }, made: [] }, changes);
}

const NO_OPTIONS = 'systemd-resolved has no such options: leave them out, or make /etc/resolv.conf a plain file';

/** Sets the name servers, through whatever writes /etc/resolv.conf on the machine. */
export const resolver = defineStep<Resolver>()({
  kind: 'resolver',
  description:
    'Name servers, search domains and options: in a plain /etc/resolv.conf, or through systemd-resolved, NetworkManager or netconfig.',
  title: (want) => `name servers ${[want.nameservers].flat().join(', ')}`,
  probe: () => lookAtResolver(),
  judge: (output, want) => {
    checked(want);
    const seen = seenResolver(output.stdout);
    const { form } = seen;
    if (form === 'foreign') {
      const to = want.nameservers.join(' ');
      return needed<Before>({ form, file: { type: 'absent' }, made: [] }, [
        { what: RESOLV_CONF, from: `written by ${seen.by}`, to },
      ]);
    }
    if (form === 'netconfig') return judgeNetconfig(output.stdout, seen, want);
    const path = FILES[form];
    const file = textOf(output.stdout, form);
    const text = ownText(form, want);
    const own = text === undefined || hasText(file, text) ? [] : [textChange(path, file, text)];
    const refused = form === 'resolved' && (want.options ?? []).length > 0 ? [{ what: 'options', to: NO_OPTIONS }] : [];
    const changes = [...liveChanges(seen, want), ...own, ...refused];
    if (changes.length === 0) return satisfied<ResolverResult>({ form });
    return needed<Before>({ form, file, made: missingAbove(output.stdout, path) }, changes);
  },
  apply: (_host, want) => {
    const [server = ''] = checked(want).nameservers.map(plainAddress);
    return withFunctions(
      'write',
      FORM,
      sh`kxo_resolv
case $kxo_form in
plain)
  p=${RESOLV_CONF}; t=${tempBeside(RESOLV_CONF)}
  kxg_new "$t"; t=$kxg_file
  ${editPlain(want)} || kxg_fail "cannot write $t"
  if [ -f "$p" ]; then chown -- "$(stat -c %u:%g -- "$p")" "$t" && chmod "$(stat -c %a -- "$p")" "$t"; else chmod 0644 "$t"; fi || kxg_fail "cannot set the mode of $t"
  kxg_place "$t" "$p" ;;
resolved)
  ${(want.options ?? []).length > 0 ? sh`kxg_fail ${NO_OPTIONS}` : sh`:`}`,
      writeText(RESOLVED_FILE, resolvedText(want)),
      sh`${reloadResolved(server)} ;;
network-manager)`,
      writeText(NETWORK_MANAGER_FILE, networkManagerText(want)),
      sh`${reloadNetworkManager(server)} ;;
netconfig)
  ${editNetconfig(wantedNetconfig(want), START, PLACE)}
  ${RELOAD_NETCONFIG} ;;
*) kxg_fail "/etc/resolv.conf is written by $kxo_by: set the name servers there, or make it a plain file" ;;
esac`,
    );
  },
  // Only what the step itself writes: what a daemon makes of it is the daemon's.
  saves: () =>
    lines(
      FORM,
      sh`kxo_resolv
case $kxo_form in resolved) echo ${RESOLVED_FILE} ;; network-manager) echo ${NETWORK_MANAGER_FILE} ;; netconfig) echo ${NETCONFIG_FILE} ;; *) echo ${RESOLV_CONF} ;; esac`,
    ),
  owns: () => ['resolver:servers'],
  revert: (_host, _want, { form, file, made, variables }): Script => {
    if (form === 'foreign') return sh`:`;
    if (form === 'netconfig')
      return withFunctions('write', editNetconfig(variables ?? {}, START, PLACE), RELOAD_NETCONFIG);
    const back = putBackText(FILES[form], { file, made });
    if (form === 'plain') return back;
    return lines(back, FORM, form === 'resolved' ? reloadResolved() : reloadNetworkManager());
  },
  timeoutSeconds: 60,
  estimateSeconds: 2,
  example: { nameservers: ['192.0.2.53'], search: ['example.com'] },
});
