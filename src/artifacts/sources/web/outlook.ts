import type { FileNeed } from '../../../model/catalog/need.ts';
import { KubexmError } from '../../../model/errors/index.ts';
import type { Job } from '../../cache/types.ts';
import { UNTRUSTED } from '../untrusted.ts';
import type { Place } from './file.ts';
import { whyNoImage } from './image.ts';
import { accessOf, type NetworkSource } from './network-source.ts';
import type { Presence } from './presence.ts';
import { refusePlain, type Web } from './web.ts';

/** Why a job cannot come from a source: it does not have one of its files, or nobody vouches for one. Gets nothing. */
export async function whyNot(
  spec: NetworkSource,
  web: Web,
  presence: Presence,
  job: Job,
): Promise<KubexmError | undefined> {
  if (job.kind === 'image') {
    const { upstream } = job.image;
    return firstGood(await whyNoImage(web, presence, upstream, spec.images(job.image), accessOf(spec)));
  }
  const reasons = await Promise.all(job.files.map((need) => whyNoFile(spec, web, presence, need)));
  const untrusted = reasons.find((reason) => reason !== undefined && UNTRUSTED.includes(reason.code));
  return untrusted ?? reasons.find((reason) => reason !== undefined);
}

async function whyNoFile(
  spec: NetworkSource,
  web: Web,
  presence: Presence,
  need: FileNeed,
): Promise<KubexmError | undefined> {
  const { urls, checksums } = spec.files(need) ?? { urls: [], checksums: [] };
  const isKnown = need.digest !== undefined;
  const vouching = isKnown ? [] : checksums;
  const ask = async (places: readonly Place[], checked: boolean) =>
    firstGood(await Promise.all(places.map(({ url }) => whyNotAt(web, presence, url, need.file, checked))));
  const [file, checksum] = await Promise.all([
    ask(urls, isKnown || vouching.length > 0),
    vouching.length === 0 ? undefined : ask(vouching, false),
  ]);
  return file ?? checksum;
}

async function whyNotAt(
  web: Web,
  presence: Presence,
  url: URL,
  file: string,
  checked: boolean,
): Promise<KubexmError | undefined> {
  try {
    if (!checked) refusePlain(web, url, file);
  } catch (error) {
    if (error instanceof KubexmError) return error;
    throw error;
  }
  const silent = await web.reach.whyNot(url, web.way, web.signal);
  return silent ?? (await presence.whyNoFile(web, url, file, checked));
}

/** Addresses in their order, as they are asked for the file itself: nobody goes on past a server that is not trusted. */
function firstGood(whys: readonly (KubexmError | undefined)[]): KubexmError | undefined {
  const end = whys.findIndex((why) => why === undefined || UNTRUSTED.includes(why.code));
  if (end !== -1) return whys[end];
  return whys.findLast((why) => why?.code !== 'KX7070') ?? whys.at(-1);
}
