import { type Script, sh } from '../../model/script.ts';

/** Where the machine's time zone is: a link into the zones' own directory. */
export const LOCALTIME = '/etc/localtime';

/** Where Debian and Ubuntu keep its name too, up to Debian 12. */
export const ZONE_NAME = '/etc/timezone';

const ZONES = '/usr/share/zoneinfo';

/** Whether a text can be a zone's name: `Europe/Berlin`, `UTC`, `Etc/GMT+2`. */
export function isZone(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name);
}

/** The zone's own file. */
function zoneFile(zone: string): string {
  return `${ZONES}/${zone}`;
}

/** The link to a zone's file, as timedatectl makes it. */
export function zoneLink(zone: string): string {
  return `..${zoneFile(zone)}`;
}

/** The zone that a link leads to; undefined when it leads elsewhere. */
export function linkedZone(target: string): string | undefined {
  return /^(?:\.\.)?\/usr\/share\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(target)?.[1];
}

/** Whether two names mean one zone: Debian calls UTC also Etc/UTC. */
export function sameZone(a: string, b: string): boolean {
  return a.replace(/^Etc\/UTC$/, 'UTC') === b.replace(/^Etc\/UTC$/, 'UTC');
}

/** Ends the script if the machine does not know the zone. */
export function needZone(zone: string): Script {
  return sh`[ -f ${zoneFile(zone)} ] || { echo ${`the machine does not know the time zone ${zone}: install the package tzdata (timezone on SUSE), or correct its name`} >&2; exit 1; }`;
}
