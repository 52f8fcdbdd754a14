import { readFile } from 'node:fs/promises';
import ssh2 from 'ssh2';

/** An agent that is silent for longer is not waited for. */
const ANSWER_MS = 3000;

/** An agent that offers only some of its keys, as IdentitiesOnly asks. */
export class SelectiveAgent extends ssh2.OpenSSHAgent {
  readonly #wanted: ReadonlySet<string>;

  constructor(socket: string, wanted: ReadonlySet<string>) {
    super(socket);
    this.#wanted = wanted;
  }

  override getIdentities(callback: ssh2.IdentityCallback<ssh2.ParsedKey>): void {
    super.getIdentities((error, keys = []) => {
      callback(
        error,
        keys.filter((key) => this.#wanted.has(publicPart(key))),
      );
    });
  }
}

/** The public halves of key files, in base64, where they are there to read. */
export async function publicKeys(files: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const file of files) {
    const text = await readFile(`${file}.pub`, 'utf8').catch(() => '');
    const key = text.trim().split(/\s+/)[1];
    if (key) found.add(key);
  }
  return found;
}

/** The public halves of the keys an agent holds, in base64; none when it does not answer. */
export async function agentKeys(socket: string): Promise<ReadonlySet<string>> {
  const { promise, resolve } = Promise.withResolvers<ReadonlySet<string>>();
  const timer = setTimeout(resolve, ANSWER_MS, new Set<string>());
  new ssh2.OpenSSHAgent(socket).getIdentities((error, keys = []) => {
    resolve(new Set(error ? [] : keys.map(publicPart)));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

function publicPart(key: unknown): string {
  const parsed = ssh2.utils.parseKey(key as Buffer) as ssh2.ParsedKey | Error;
  return parsed instanceof Error ? '' : parsed.getPublicSSH().toString('base64');
}
