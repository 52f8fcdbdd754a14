import type { Output } from '../../model/host.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { serviceChanges, serviceFunctions } from './service-shell.ts';

/** What a unit is to be, in the words of the init system. */
export interface UnitAim {
  /** With its suffix. */
  readonly unit: string;
  readonly enabled?: boolean | undefined;
  readonly running?: 'started' | 'stopped' | undefined;
  readonly masked?: boolean | undefined;
  /** One word; empty when nobody asks. */
  readonly fingerprint: string;
  readonly reads: readonly string[];
  readonly reload: boolean;
  /** Undefined: two seconds, where systemd cannot know when it is up. */
  readonly settleSeconds: number | undefined;
}

/** A unit as systemd shows it. */
export interface UnitSeen {
  /** Without systemd nothing else is known. */
  readonly systemd: boolean;
  /** Whether there is such a unit. */
  readonly known: boolean;
  readonly active: string;
  readonly sub: string;
  readonly type: string;
  readonly result: string;
  /** As `systemctl is-enabled` says it; empty for a unit without a file. */
  readonly file: string;
  /** systemd has not read what is in the unit's files now. */
  readonly stale: boolean;
  /** The running process was started with what is wanted. */
  readonly fresh: boolean;
  /** The line noted about what it was started with; empty when there is none. */
  readonly record: string;
}

/** What is put back: plain JSON. */
export type UnitBefore = {
  readonly active: boolean;
  readonly file: string;
  readonly record: string;
};

function start(aim: Pick<UnitAim, 'unit' | 'fingerprint'>): Script {
  return lines(rawScript(serviceFunctions), sh`kxs_unit=${aim.unit}; kxs_want=${word(aim.fingerprint)}`);
}

function word(text: string): Script {
  return rawScript(`'${text}'`);
}

/** A read-only script that tells all about a unit. */
export function lookAtUnit(aim: UnitAim): Script {
  const judged = aim.fingerprint !== '' || aim.reads.length > 0;
  return lines(
    start(aim),
    sh`if kxs_look; then
  printf '%s\\n' "$kxs_said"
  ${rawScript(judged ? 'kxs_freshness' : 'kxs_recall; kxs_fresh=yes')} ${judged ? aim.reads : []}
  printf 'KxFresh=%s\\nKxRecord=%s\\n' "$kxs_fresh" "\${kxs_had:+$kxs_had $kxs_for}"
else
  echo KxInit=none
fi`,
  );
}

/** What `lookAtUnit` printed. */
export function parseUnit(output: Output): UnitSeen {
  const said = new Map<string, string>();
  for (const line of output.stdout.split('\n')) {
    const cut = line.indexOf('=');
    if (cut > 0) said.set(line.slice(0, cut), line.slice(cut + 1));
  }
  const of = (key: string): string => said.get(key) ?? '';
  const load = of('LoadState');
  return {
    systemd: output.code === 0 && load !== '',
    known: load !== '' && load !== 'not-found',
    active: of('ActiveState'),
    sub: of('SubState'),
    type: of('Type'),
    result: of('Result'),
    file: of('UnitFileState'),
    stale: of('NeedDaemonReload') === 'yes',
    fresh: of('KxFresh') !== 'no',
    record: of('KxRecord'),
  };
}

const NO_SYSTEMD =
  'the first process of this machine is not systemd: kubexm manages services through systemd only (neither OpenRC nor sysv init)';

/** Makes a unit what it is to be, and watches that it stays so. */
export function changeUnit(aim: UnitAim): Script {
  const { enabled, running, masked } = aim;
  const needsUnit = running === 'started' || enabled === true;
  return lines(
    start(aim),
    rawScript(serviceChanges),
    sh`kxs_look || kxs_fail ${NO_SYSTEMD}
kxs_reread`,
    ...(needsUnit
      ? [sh`[ "$kxs_load" != not-found ] || kxs_fail "there is no unit $kxs_unit on this machine"`]
      : [sh`[ "$kxs_load" != not-found ] || kxs_gone=yes`]),
    ...(masked === false ? [sh`case $kxs_file in masked*) kxs_do unmask; kxs_look ;; esac`] : []),
    ...(enabled === true ? [sh`kxs_do enable --quiet`] : []),
    ...(enabled === false ? [sh`[ -n "$kxs_gone" ] || kxs_do disable --quiet`] : []),
    ...(running === 'stopped' ? [sh`[ -n "$kxs_gone" ] || kxs_do stop`] : []),
    ...(running === 'started' ? startScript(aim) : []),
    ...(masked === true ? [sh`kxs_do mask --quiet`] : []),
  );
}

const USUAL_SECONDS = 2;

function startScript(aim: UnitAim): readonly Script[] {
  const judged = aim.fingerprint !== '' || aim.reads.length > 0;
  const again = aim.reload
    ? sh`if [ "$kxs_can" = yes ]; then kxs_do reload; else kxs_do restart; fi`
    : sh`kxs_do restart`;
  return [
    judged ? sh`kxs_freshness ${aim.reads}` : sh`kxs_fresh=yes`,
    sh`case $kxs_active in
  active | reloading | refreshing) [ "$kxs_fresh" = yes ] || { ${again}; } ;;
  activating)
    # It may be trying again and again with what it was started with.
    if [ "$kxs_fresh" = yes ] && [ "$kxs_sub" != auto-restart ]; then kxs_do start; else kxs_do restart; fi ;;
  *)
    [ "$kxs_active" != failed ] || systemctl reset-failed -- "$kxs_unit"
    kxs_do start ;;
esac`,
    ...(aim.settleSeconds === undefined
      ? [sh`kxs_settle ${USUAL_SECONDS} unsure`]
      : aim.settleSeconds > 0
        ? [sh`kxs_settle ${Math.ceil(aim.settleSeconds)}`]
        : []),
    sh`kxs_note "$kxs_want"`,
  ];
}

const GONE = `kxs_put ''; echo "$kxs_unit stays as it is: there is no such unit any more"; exit 0`;

/** Restores the state of a unit. A restart belongs after its files were restored, so nothing is restarted here. */
export function restoreUnit(unit: string, before: UnitBefore): Script {
  const masked = before.file.startsWith('masked');
  const runtime = before.file.endsWith('-runtime') ? ['--runtime'] : [];
  const enabled = before.file === 'enabled' || before.file === 'enabled-runtime';
  return lines(
    start({ unit, fingerprint: '' }),
    rawScript(serviceChanges),
    sh`kxs_look || exit 0
kxs_reread`,
    ...(masked ? [] : [sh`case $kxs_file in masked*) kxs_do unmask; kxs_look ;; esac`]),
    // Somebody has taken it away since: there is nothing to start or to enable, only links to it to take away.
    sh`if [ "$kxs_load" = not-found ]; then
  ${enabled || masked ? rawScript(':') : sh`systemctl disable --quiet -- "$kxs_unit" 2>/dev/null`}
  ${before.active || enabled ? rawScript(GONE) : rawScript(':')}
fi`,
    ...(before.active
      ? [sh`case $kxs_active in active | reloading | refreshing | activating) ;; *) kxs_do start ;; esac`]
      : [sh`case $kxs_active in inactive | failed) ;; *) kxs_do stop ;; esac`]),
    ...(enabled ? [sh`[ "$kxs_file" = ${before.file} ] || kxs_do enable --quiet ${runtime}`] : []),
    // What was neither enabled nor masked had no links of its own.
    ...(enabled || masked ? [] : [sh`case $kxs_file in enabled*) kxs_do disable --quiet ;; esac`]),
    ...(masked ? [sh`[ "$kxs_file" = ${before.file} ] || kxs_do mask --quiet ${runtime}`] : []),
    ...(before.active ? [] : [sh`systemctl reset-failed -- "$kxs_unit" 2>/dev/null`]),
    sh`kxs_put ${before.record === '' ? rawScript("''") : before.record}`,
  );
}

/** A read-only script that tells whether a unit was noted, and whether it runs. */
export function lookAtNoted(unit: string): Script {
  return lines(
    start({ unit, fingerprint: '' }),
    sh`[ ! -e "$KX_STATE/services/$kxs_unit.before" ] || echo noted
if kxs_look; then echo "active $kxs_active"; fi
exit 0`,
  );
}

/** What `lookAtNoted` printed. */
export function parseNoted(output: Output): { readonly noted: boolean; readonly active: boolean } {
  const said = output.stdout.split('\n');
  return {
    noted: said.includes('noted'),
    active: said.some((line) => /^active (?:active|reloading|refreshing)$/.test(line)),
  };
}

/** Notes a unit. */
export function noteUnit(unit: string): Script {
  return sh`mkdir -p "$KX_STATE/services" && : >"$KX_STATE/services/"${`${unit}.before`}`;
}

/** Restarts a unit that ran, with its current files, and removes the note. */
export function restartNoted(unit: string, ran: boolean): Script {
  const restart = sh`if [ "$kxs_load" = not-found ]; then echo "$kxs_unit stays as it is: there is no such unit any more"; else kxs_do restart; fi`;
  return lines(
    start({ unit, fingerprint: '' }),
    rawScript(serviceChanges),
    ran ? sh`if kxs_look; then kxs_reread; ${restart}; fi` : rawScript(':'),
    sh`rm -f "$KX_STATE/services/$kxs_unit.before"; rmdir "$KX_STATE/services" 2>/dev/null || :`,
  );
}

/** A read-only script that names the units of which systemd has not read what is in their files. */
export function lookAtStaleUnits(units: readonly string[]): Script {
  return sh`[ -d /run/systemd/system ] && command -v systemctl >/dev/null || { echo none; exit 0; }
systemctl show --no-pager -p Id,NeedDaemonReload -- ${units.length === 0 ? rawScript("'*'") : units} | {
  while IFS== read -r k v; do
    case $k=$v in Id=*) u=$v ;; NeedDaemonReload=yes) s=yes ;; =) [ -z "$s" ] || echo "stale $u"; u= s= ;; esac
  done
  [ -z "$s" ] || echo "stale $u"
}`;
}

/** The units that `lookAtStaleUnits` named; undefined without systemd. */
export function parseStaleUnits(output: Output): readonly string[] | undefined {
  const found = output.stdout.split('\n').filter((line) => line !== '');
  if (output.code !== 0 || found.includes('none')) return undefined;
  return found.map((line) => line.replace(/^stale /, '')).sort();
}

/** Lets systemd read its unit files again. */
export function rereadUnits(): Script {
  return sh`[ -d /run/systemd/system ] || { echo ${NO_SYSTEMD} >&2; exit 1; }
systemctl daemon-reload`;
}

/** The unit that a file is of, be it the unit's own, a drop-in or a link that enables it. Undefined: systemd reads no units there. */
export function unitOfFile(path: string): string | undefined {
  const [, first = '', second] =
    /^(?:\/etc|\/run|\/lib|\/usr\/lib|\/usr\/local\/lib)\/systemd\/system\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
  if (second !== undefined && /\.(?:wants|requires)$/.test(first)) return second;
  return first.replace(/\.d$/, '') || undefined;
}
