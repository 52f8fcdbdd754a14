import type { Output } from '../../model/host.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

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

const LOOK = rawScript(shellSource(new URL('./service.sh', import.meta.url)));
const CHANGE = lines(LOOK, rawScript(shellSource(new URL('./service-change.sh', import.meta.url))));

/** A read-only script that tells all about a unit. */
export function lookAtUnit(aim: UnitAim): Script {
  return lines(LOOK, sh`kxs_show ${aim.unit} ${aim.fingerprint} ${aim.reads}`);
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
  const { unit, enabled, running, masked } = aim;
  const needsUnit = running === 'started' || enabled === true;
  const unlessGone = (script: Script) => sh`[ "$kxs_load" = not-found ] || ${script}`;
  return lines(
    CHANGE,
    sh`kxs_look_again ${unit} || kxs_fail ${NO_SYSTEMD}`,
    ...(needsUnit ? [sh`[ "$kxs_load" != not-found ] || kxs_fail ${`there is no unit ${unit} on this machine`}`] : []),
    ...(masked === false ? [sh`kxs_unmask ${unit}`] : []),
    ...(enabled === true ? [sh`kxs_do ${unit} enable --quiet`] : []),
    ...(enabled === false ? [unlessGone(sh`kxs_do ${unit} disable --quiet`)] : []),
    ...(running === 'stopped' ? [unlessGone(sh`kxs_do ${unit} stop`)] : []),
    ...(running === 'started' ? startScript(aim) : []),
    ...(masked === true ? [sh`kxs_do ${unit} mask --quiet`] : []),
  );
}

const USUAL_SECONDS = 2;

function startScript({ unit, fingerprint, reads, reload, settleSeconds }: UnitAim): readonly Script[] {
  const judged = fingerprint !== '' || reads.length > 0;
  return [
    judged ? sh`kxs_freshness ${unit} ${fingerprint} ${reads}` : sh`kxs_fresh=yes`,
    sh`kxs_start ${unit} ${reload ? 'reload' : 'restart'}`,
    ...(settleSeconds === undefined
      ? [sh`kxs_settle ${unit} ${USUAL_SECONDS} unsure`]
      : settleSeconds > 0
        ? [sh`kxs_settle ${unit} ${Math.ceil(settleSeconds)}`]
        : []),
    sh`kxs_note ${unit} ${fingerprint}`,
  ];
}

/** Restores the state of a unit. A restart belongs after its files were restored, so nothing is restarted here. */
export function restoreUnit(unit: string, before: UnitBefore): Script {
  return lines(CHANGE, sh`kxs_restore ${unit} ${before.file} ${before.active ? 'yes' : ''} ${before.record}`);
}

/** A read-only script that tells whether a unit was noted, and whether it runs. */
export function lookAtNoted(unit: string): Script {
  return lines(LOOK, sh`kxs_show_noted ${unit}`);
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
  return lines(CHANGE, sh`kxs_restart_noted ${unit} ${ran ? 'yes' : ''}`);
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
