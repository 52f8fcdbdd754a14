import type { Text } from '../../model/errors/entry.ts';
import { errorRemedy, errorText, errorTitle, KubexmError, kubexmError } from '../../model/errors/index.ts';
import { UNTRUSTED } from '../sources/untrusted.ts';
import type { BuildLedger } from './build-ledger.ts';
import { type Cache, digestOfHex } from './cache.ts';
import { itemsOf } from './items.ts';
import type { Item, Job, Source, Supplied, SupplyIo } from './types.ts';

/** A file that is in the cache, and where it came from. */
export interface Got extends Supplied {
  readonly source: string;
}

/** What a cluster has agreed on: the items it has already, by id. */
export type Pins = Readonly<Record<string, Got>>;

/** As every part of a supply has it, and a way to tell the person something once. */
export interface EnsureIo extends SupplyIo {
  tell(text: string | Text): void;
}

/** What several jobs of one run share. */
export interface Supply {
  readonly cache: Cache;
  /** In the order in which they are asked. */
  readonly sources: readonly Source[];
  /** Reasons that the person knows already. */
  readonly told: Set<string>;
  /** How far all builds are together. Unset: nobody counts them. */
  readonly builds?: BuildLedger;
}

/**
 * A directory that cannot be written to, a full disk: what is wrong with this machine is wrong for every source. A certificate that is
 * not trusted may mean that somebody intercepts the connection: they must not decide which source is asked.
 */
const FINAL: ReadonlySet<string> = new Set(['KX7035', 'KX7122', ...UNTRUSTED]);

/**
 * Gets the items of a job: from the cache if it has what is pinned or what one of the sources would give, else from the first
 * source that can. Everything is read through and compared with its digest before it is handed out.
 */
export async function ensure(supply: Supply, job: Job, pins: Pins, io: EnsureIo): Promise<ReadonlyMap<string, Got>> {
  const items = itemsOf(job);
  const name = items.map(({ id }) => id).join(' ');
  const cached = async () => (await pinned(supply, items, pins)) ?? (await remembered(supply, job, items, pins));
  // Who has it waits for nobody: another run may want another file under this name, and be at it for long.
  const here = await cached();
  const got =
    here ??
    (await supply.cache.alone(
      `job ${name}`,
      'waiting for another run that gets it',
      io,
      async () => (await cached()) ?? (await fetched(supply, job, items, pins, io)),
    ));
  for (const [id, { vouched, source }] of got) {
    // What was locked earlier was reported then.
    if (pins[id] === undefined && (vouched === 'mirror' || vouched === 'nobody'))
      tellOnce(supply, errorText('KX7082', { source }), io);
  }
  return got;
}

/** What is pinned and whole in the cache, whatever it came from. */
async function pinned({ cache }: Supply, items: readonly Item[], pins: Pins): Promise<Map<string, Got> | undefined> {
  const found = new Map<string, Got>();
  for (const { id } of items) {
    const pin = pins[id];
    if (pin === undefined || !(await cache.store.verify(digestOfHex(pin.sha256)))) return undefined;
    found.set(id, pin);
  }
  return found;
}

/** What one of the sources gave before, for this or another cluster. */
async function remembered(
  { cache, sources }: Supply,
  job: Job,
  items: readonly Item[],
  pins: Pins,
): Promise<Map<string, Got> | undefined> {
  for (const source of sources) {
    const key = await keyOf(source, job).catch(() => undefined);
    if (key === undefined) continue;
    const found = new Map<string, Got>();
    for (const { id } of items) {
      const record = await cache.find(id, source.name, key);
      if (record === undefined || (pins[id]?.sha256 ?? record.sha256) !== record.sha256) break;
      if (!(await cache.store.verify(digestOfHex(record.sha256)))) break;
      const { sha256, size, vouched = source.vouches } = record;
      found.set(id, { sha256, size, source: source.name, vouched });
    }
    if (found.size === items.length) return found;
  }
  return undefined;
}

async function fetched(
  supply: Supply,
  job: Job,
  items: readonly Item[],
  pins: Pins,
  io: EnsureIo,
): Promise<ReadonlyMap<string, Got>> {
  const failures: { readonly source: string; readonly error: KubexmError }[] = [];
  for (const source of supply.sources) {
    try {
      const key = await keyOf(source, job);
      if (key === undefined) continue;
      return await fromSource(supply, source, key, job, items, pins, io);
    } catch (error) {
      io.signal.throwIfAborted();
      if (!(error instanceof KubexmError) || FINAL.has(error.code)) throw error;
      failures.push({ source: source.name, error });
      tellOnce(supply, failureOf(source, error), io);
    }
  }
  throw noSource(supply, job, failures);
}

/** The error of a job that no source gave: why each of them did not. */
export function noSource(
  { sources }: Pick<Supply, 'sources'>,
  job: Job,
  failures: readonly { readonly source: string; readonly error: KubexmError }[],
): KubexmError {
  const what = `${job.component} ${job.version}`;
  const [first] = failures;
  if (first === undefined) {
    const reason = whyUnbuilt(job, sources);
    const more = reason === undefined ? undefined : { detail: reason };
    return kubexmError('KX7015', { what, sources: sources.map(({ name }) => name).join(', ') }, more);
  }
  // That all of them have other files than those agreed on has a remedy of its own.
  if (failures.every(({ error }) => error.code === 'KX7018')) return first.error;
  const lines = failures.map(({ source, error }) => [
    `${source}: ${titleOf(error)}`,
    ...indented(errorRemedy(error.code, error.params, 'en')),
    ...indented(error.detail),
  ]);
  const names = failures.map(({ source }) => source).join(', ');
  return kubexmError('KX7016', { what, sources: names }, { detail: lines.flat().join('\n') });
}

/** Why the source that builds does not offer a job, if that is one of the sources. */
export function whyUnbuilt(job: Job, sources: readonly Source[]): string | undefined {
  return sources.some(({ name }) => name === 'go') ? job.unbuilt : undefined;
}

function titleOf({ code, params }: KubexmError): string {
  return errorTitle(code, params, 'en');
}

function failureOf({ name }: Source, { code, params }: KubexmError): Text {
  const { en, zh } = errorText(code, params);
  return { en: `${name}: ${en}`, zh: `${name}：${zh}` };
}

async function fromSource(
  { cache }: Supply,
  source: Source,
  key: string,
  job: Job,
  items: readonly Item[],
  pins: Pins,
  io: SupplyIo,
): Promise<ReadonlyMap<string, Got>> {
  const given = await source.get(job, cache.store, io);
  const found = new Map<string, Got>();
  for (const { id } of items) {
    const one = given.get(id);
    if (one === undefined) throw kubexmError('KX7017', { source: source.name, item: id });
    const pin = pins[id];
    if (pin !== undefined && pin.sha256 !== one.sha256) {
      throw kubexmError('KX7018', {
        item: id,
        source: source.name,
        got: one.sha256,
        pinned: pin.sha256,
        from: pin.source,
      });
    }
    const { sha256, size, vouched = source.vouches } = one;
    found.set(id, { sha256, size, source: source.name, vouched });
  }
  // Only now: an index that knows a part would make the next run wait for what will never come.
  for (const [id, one] of found) await cache.note({ ...one, id, key });
  return found;
}

/** What a source's result for a job depends on. A tar also tells how the cluster names the image. */
export async function keyOf(source: Source, job: Job): Promise<string | undefined> {
  const key = await source.key(job);
  return key === undefined || job.kind === 'files' ? key : `${key} as ${job.image.reference}`;
}

/** The same reason for thirty components is one line. */
function tellOnce({ told }: Supply, reason: Text, io: EnsureIo): void {
  if (told.has(reason.en)) return;
  told.add(reason.en);
  io.tell(reason);
}

function indented(detail: string | undefined): readonly string[] {
  return detail === undefined ? [] : detail.split('\n').map((line) => `  ${line}`);
}
