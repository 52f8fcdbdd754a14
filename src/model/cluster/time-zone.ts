import { nearest } from './nearest.ts';

const USUAL_SLIPS: Readonly<Record<string, string>> = {
  'Asia/Beijing': 'Asia/Shanghai',
  Beijing: 'Asia/Shanghai',
  China: 'Asia/Shanghai',
  CST: 'Asia/Shanghai',
};

/** The name that was probably meant by one that is no time zone; undefined if nobody can tell. */
export function suggestTimeZone(zone: string): string | undefined {
  const known = Intl.supportedValuesOf('timeZone');
  const tail = known.find((name) => name.toLowerCase().endsWith(`/${zone.toLowerCase()}`));
  const slip = Object.hasOwn(USUAL_SLIPS, zone) ? USUAL_SLIPS[zone] : undefined;
  return slip ?? offsetZone(zone) ?? tail ?? nearest(zone, known);
}

/** `+08:00` and `UTC+8` as a zone of the database, whose signs are the other way round. */
function offsetZone(text: string): string | undefined {
  const [, sign, hours] = /^(?:UTC|GMT)?([+-])0?(\d{1,2})(?::?00)?$/i.exec(text) ?? [];
  const zone = `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
  return hours !== undefined && isTimeZone(zone) ? zone : undefined;
}

/** Machines know zones by the exact spelling of a file; offsets such as +08:00 and CST are none. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*)*$/.test(zone) || Object.hasOwn(USUAL_SLIPS, zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
