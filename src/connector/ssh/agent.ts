import { readFile } from 'node:fs/promises';
import ssh2 from 'ssh2';

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

function publicPart(key: unknown): string {
  const parsed = ssh2.utils.parseKey(key as Buffer) as ssh2.ParsedKey | Error;
  return parsed instanceof Error ? '' : parsed.getPublicSSH().toString('base64');
}
