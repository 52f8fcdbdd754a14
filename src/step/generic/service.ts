import { createHash } from 'node:crypto';
import {
  changeUnit,
  lookAtUnit,
  parseUnit,
  restoreUnit,
  type UnitAim,
  type UnitBefore,
  type UnitSeen,
} from '../../host/os/service.ts';
import type { Effect } from '../../model/effect.ts';
import { canonical, type Json } from '../../model/json.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute, invalid } from './lib/path.ts';

/** A service, or any other unit, and how it is to be. What is not named stays as it is. */
export interface Service {
  /** Without a suffix: a service. */
  readonly unit: string;
  /** Whether it starts with the machine. */
  readonly enabled?: boolean;
  readonly running?: 'started' | 'stopped';
  /** Whether nothing and nobody can start it. */
  readonly masked?: boolean;
  /**
   * Tells everything it reads when it starts: the values of the steps that wrote its unit, configuration and certificates.
   * A process that was started with something else is restarted. No secrets: their digests.
   */
  readonly fingerprint?: Json;
  /**
   * The files and directories that it reads when it starts. They tell whether a process that a boot or a person has started
   * has read what is there now.
   */
  readonly reads?: readonly string[];
  /** It reads its files again without a restart, where its unit says how. */
  readonly reload?: boolean;
  /**
   * So long it must stay up after a start. By default two seconds, and none for a unit that tells systemd itself when it is up.
   * With 0 one that comes and goes counts as started.
   */
  readonly settleSeconds?: number;
  /** Default 180. */
  readonly timeoutSeconds?: number;
  /** What it makes on the machine while it runs; `reset` removes what was not there before. */
  readonly effects?: readonly Effect[];
}

const DEFAULT_SECONDS = 180;
const SUFFIX = /\.(?:service|socket|timer|path|mount|automount|swap|slice|target)$/;
const UNIT = /^[A-Za-z0-9:_.@\\-]+$/;

/** The full name of a unit. */
export function unitName(unit: string): string {
  if (!UNIT.test(unit) || unit.length > 255 || unit.startsWith('-') || unit.startsWith('.'))
    throw invalid(`${JSON.stringify(unit)} is no name of a unit`);
  return SUFFIX.test(unit) ? unit : `${unit}.service`;
}

function aimOf(want: Service): UnitAim {
  if (want.reload === true && want.fingerprint === undefined)
    throw invalid(`the service ${want.unit} is to be reloaded, but nothing tells when: it needs a fingerprint`);
  if (want.running === 'started' && want.masked === true)
    throw invalid(`the service ${want.unit} is to be started and masked`);
  return {
    unit: unitName(want.unit),
    enabled: want.enabled,
    running: want.running,
    masked: want.masked,
    fingerprint: want.running === 'started' && want.fingerprint !== undefined ? digest(want.fingerprint) : '',
    reads: want.running === 'started' ? (want.reads ?? []).map(absolute) : [],
    reload: want.reload === true,
    settleSeconds: want.settleSeconds,
  };
}

function digest(value: Json): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

const UP = ['active', 'reloading', 'refreshing'];
const ON = ['enabled', 'alias', 'generated'];

function isUp(seen: UnitSeen, aim: UnitAim): boolean {
  if (UP.includes(seen.active)) return true;
  return aim.settleSeconds === 0 && seen.active === 'activating';
}

function changes(seen: UnitSeen, aim: UnitAim): readonly Change[] {
  const found: Change[] = [];
  const masked = seen.file.startsWith('masked');
  if (aim.masked !== undefined && aim.masked !== masked)
    found.push({ what: 'masked', from: masked ? 'yes' : 'no', to: aim.masked ? 'yes' : 'no' });
  const on = ON.includes(seen.file);
  if (aim.enabled !== undefined && aim.enabled !== on && (aim.enabled || seen.file.startsWith('enabled')))
    found.push({
      what: 'at boot',
      from: seen.file === '' ? 'no unit' : seen.file,
      to: aim.enabled ? 'enabled' : 'disabled',
    });
  if (aim.running === 'started') {
    const state = seen.known ? `${seen.active} (${seen.sub})` : 'no unit';
    if (!isUp(seen, aim)) found.push({ what: 'state', from: state, to: 'active' });
    else if (!seen.fresh)
      found.push({ what: 'process', from: 'started with other files', to: aim.reload ? 'reloaded' : 'restarted' });
    else if (seen.stale) found.push({ what: 'unit file', from: 'changed on disk', to: 'read by systemd' });
  } else if (aim.running === 'stopped' && !['inactive', 'failed', ''].includes(seen.active)) {
    found.push({ what: 'state', from: `${seen.active} (${seen.sub})`, to: 'inactive' });
  }
  return found;
}

/** Enables, starts, restarts, reloads, stops or masks a service; a service that starts and dies is a failure. */
export const service = defineStep<Service>()({
  kind: 'service',
  description:
    'A service as wanted: enabled, started with the files that are there now, stopped, masked; one that starts and dies is a failure.',
  title: (want) => `service ${want.unit}`,
  probe: (want) => lookAtUnit(aimOf(want)),
  judge: (output, want) => {
    const seen = parseUnit(output);
    const aim = aimOf(want);
    const before: UnitBefore = { active: UP.includes(seen.active), file: seen.file, record: seen.record };
    if (!seen.systemd) return needed(before, [{ what: aim.unit, from: 'no systemd on this machine', to: 'as wanted' }]);
    const diff = changes(seen, aim);
    return diff.length === 0 ? satisfied() : needed(before, diff);
  },
  apply: (_host, want) => changeUnit(aimOf(want)),
  revert: (_host, want, before) => restoreUnit(unitName(want.unit), before),
  owns: (want) => [`service:${unitName(want.unit)}`],
  effects: (want) => want.effects ?? [],
  job: (want) => want.running === 'started',
  timeoutSeconds: (want) => (typeof want.timeoutSeconds === 'number' ? want.timeoutSeconds : DEFAULT_SECONDS),
  estimateSeconds: 3,
  example: {
    unit: 'etcd',
    enabled: true,
    running: 'started',
    fingerprint: ['/etc/etcd/etcd.conf', 'sha256 of it'],
    reads: ['/etc/etcd/etcd.conf'],
  },
});
