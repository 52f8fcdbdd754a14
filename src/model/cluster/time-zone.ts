import { nearest } from './nearest.ts';

const USUAL_SLIPS: Readonly<Record<string, string>> = {
  'Asia/Beijing': 'Asia/Shanghai',
  Beijing: 'Asia/Shanghai',
  China: 'Asia/Shanghai',
  CST: 'Asia/Shanghai',
};

/** Undefined if the zone exists, else the name that was probably meant. */
export function suggestTimeZone(zone: string): string | undefined {
  if (isTimeZone(zone)) return undefined;
  const known = Intl.supportedValuesOf('timeZone');
  const tail = known.find((name) => name.toLowerCase().endsWith(`/${zone.toLowerCase()}`));
  return USUAL_SLIPS[zone] ?? tail ?? nearest(zone, known, 4) ?? 'UTC';
}

/** Machines know zones by the exact spelling of a file; offsets such as +08:00 and CST are none. */
function isTimeZone(zone: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*)*$/.test(zone) || zone in USUAL_SLIPS) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
