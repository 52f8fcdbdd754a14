import { unlessAborted } from '../../../http/abort.ts';
import { type ConnectionOptions, Connections } from '../../../http/connections.ts';
import { exchange } from '../../../http/exchange.ts';
import { asHttpFailure, HttpFailure } from '../../../http/failure.ts';
import { type KubexmError, kubexmError } from '../../../model/errors/index.ts';

/** How an origin is reached. */
export type Way = Omit<ConnectionOptions, 'stallSeconds'>;

/** What of the network answers. Each origin is asked once; one that is silent is not waited for again. */
export class Reach {
  private readonly seconds: number;
  private readonly asked = new Map<string, Promise<KubexmError | undefined>>();

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  /** Why an origin is of no use; undefined where it answers, whatever it says. */
  async whyNot(url: URL, way: Way, signal: AbortSignal): Promise<KubexmError | undefined> {
    const { origin } = url;
    const known = this.asked.get(origin);
    const answer = known ?? ask(new URL(origin), way, this.seconds);
    if (known === undefined) this.asked.set(origin, answer);
    return await unlessAborted(answer, signal);
  }
}

async function ask(url: URL, way: Way, seconds: number): Promise<KubexmError | undefined> {
  const connections = new Connections({ ...way, stallSeconds: seconds });
  const { signal } = new AbortController();
  try {
    const answer = await exchange(connections, { method: 'HEAD', url, headers: {}, signal, stallSeconds: seconds });
    answer.body.stop();
    const proxy = way.proxyFor(url);
    // These are a proxy's own words about a server that it does not reach, or will not.
    const refused = proxy !== undefined && url.protocol === 'http:' && [407, 502, 503, 504].includes(answer.status);
    if (refused) throw new HttpFailure(`the proxy ${proxy.host} answers ${answer.status}`, { transient: false });
    return undefined;
  } catch (error) {
    return why(url, asHttpFailure(error), way, seconds);
  } finally {
    connections.close();
  }
}

function why(url: URL, { trouble, message }: HttpFailure, way: Way, seconds: number): KubexmError {
  const { host } = url;
  if (trouble === 'certificate') return kubexmError('KX7071', { host, reason: message });
  const proxy = way.proxyFor(url);
  const through = proxy === undefined || message.includes(proxy.host) ? '' : ` (through the proxy ${proxy.host})`;
  const reason = message.startsWith('no answer within') ? 'nothing came' : message;
  return kubexmError('KX7070', { host, seconds, reason: `${reason}${through}` });
}
