import { asHttpFailure, HttpFailure, statusFailure } from '../../../http/failure.ts';
import { get } from '../../../http/get.ts';
import type { KubexmError } from '../../../model/errors/index.ts';
import { asking, failed, type Web } from './web.ts';

/** An address is asked for an answer of one line: it has so long for it, however patient a download is. */
const ASK_SECONDS = 10;
/** Addresses at once: a plan may ask for a hundred. */
const AT_ONCE = 8;

/** Whether addresses have what is said to be there, found out without getting it. Each is asked once, few at a time. */
export class Presence {
  private readonly asked = new Map<string, Promise<KubexmError | undefined>>();
  private readonly waiting: (() => void)[] = [];
  private free = AT_ONCE;

  /** Why a file does not come from an address. `checked`: its digest is known, so it may come from anywhere. */
  async whyNoFile(web: Web, url: URL, file: string, checked: boolean): Promise<KubexmError | undefined> {
    return await this.once(`${url.href} ${checked}`, async () => {
      try {
        await askFor(web, url, checked);
        return undefined;
      } catch (error) {
        web.signal.throwIfAborted();
        return failed(url, file, asHttpFailure(error));
      }
    });
  }

  /** Asks once, in its turn. What was interrupted is asked again. */
  async once(name: string, ask: () => Promise<KubexmError | undefined>): Promise<KubexmError | undefined> {
    const known = this.asked.get(name);
    if (known !== undefined) return await known;
    const answer = this.inTurn(ask);
    this.asked.set(name, answer);
    answer.catch(() => this.asked.delete(name));
    return await answer;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => void this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}

/** How long a single question may take. */
export function askSeconds({ stallSeconds }: Pick<Web, 'stallSeconds'>): number {
  return Math.min(stallSeconds, ASK_SECONDS);
}

/** Some servers answer a HEAD otherwise than a GET, or not at all: where it says no, the first byte decides. */
async function askFor(web: Web, url: URL, checked: boolean): Promise<void> {
  const options = { ...asking(web, checked), stallSeconds: askSeconds(web) };
  try {
    const { status, body } = await get(url, { ...options, method: 'HEAD' });
    await body.drop();
    if (status === 200) return;
  } catch (error) {
    web.signal.throwIfAborted();
    if (!(error instanceof HttpFailure) || error.trouble === 'certificate') throw error;
  }
  const { status, statusText, headers, body } = await get(url, { ...options, headers: { range: 'bytes=0-0' } });
  body.stop();
  // Of an empty file there is no first byte.
  if (![200, 206, 416].includes(status)) throw statusFailure(status, statusText, headers['retry-after']);
}
