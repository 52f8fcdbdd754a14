import { findComponent, kubexmError, LAB_KUBERNETES, readCatalog } from '../../index.ts';
import { cliError } from '../cli-error.ts';
import { knownVersion, type Place } from './place.ts';

/** The version that is wanted: the one that is there, the one asked for, or the one of every lab. */
export async function versionFor(place: Place, asked: string | undefined): Promise<string> {
  const have = knownVersion(place);
  const wanted = asked === undefined ? undefined : await exactVersion(asked, have);
  if (have !== undefined && wanted !== undefined && wanted !== have) throw kubexmError('KX6631', { have, wanted });
  return wanted ?? have ?? LAB_KUBERNETES;
}

/** `1.34` is the newest of them, unless there is one already; `1.34.2` is that one. */
async function exactVersion(asked: string, have: string | undefined): Promise<string> {
  const plain = asked.replace(/^v/, '');
  if (/^\d+\.\d+\.\d+$/.test(plain)) return `v${plain}`;
  if (have?.startsWith(`v${plain}.`)) return have;
  const { versions } = findComponent(await readCatalog(), 'kubernetes');
  const names = versions.map((one) => (typeof one === 'string' ? one : one.version));
  const newest = /^\d+\.\d+$/.test(plain) ? names.filter((name) => name.startsWith(`${plain}.`)).at(-1) : undefined;
  if (newest !== undefined) return `v${newest}`;
  const known = [...new Set(names.map((name) => name.split('.').slice(0, 2).join('.')))];
  throw cliError('KX1006', { value: asked, option: '--kubernetes', allowed: known.join(', ') });
}
