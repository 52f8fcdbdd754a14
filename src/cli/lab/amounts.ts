import { cliError } from '../cli-error.ts';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** `2Gi`, `512Mi`, `1.5G` in bytes. */
export function memoryOf(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)(Ki|Mi|Gi|Ti|[kKMGT])?$/.exec(text) ?? [];
  const bytes = Math.round(Number(amount) * (UNITS[unit] ?? 0));
  if (amount === '' || bytes === 0) {
    throw cliError('KX1006', { value: text, option: '--memory', allowed: '512Mi, 2Gi, 4G' });
  }
  return bytes;
}

/** Bytes as they are asked for: `2Gi`, `512Mi`. */
export function memoryText(bytes: number): string {
  const [unit = 'Mi', size = 1] = bytes >= 2 ** 30 ? ['Gi', 2 ** 30] : ['Mi', 2 ** 20];
  return `${Number((bytes / size).toFixed(1))}${unit}`;
}

/** `40ms`, `1s`, `0` in milliseconds. */
export function delayOf(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,5}(?:\.\d{1,3})?)(ms|s)?$/.exec(text) ?? [];
  const ms = Number(amount) * (unit === 's' ? 1000 : 1);
  // A number alone could mean anything, unless it is none.
  if (amount === '' || (unit === '' && ms !== 0) || ms > 60_000) {
    throw cliError('KX1006', { value: text, option: 'DELAY', allowed: '0, 40ms, 1s … 60s' });
  }
  return ms;
}
