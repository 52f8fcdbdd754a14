import { createHash } from 'node:crypto';
import ssh2 from 'ssh2';

/** Asks a person for the passphrase of a key; an empty answer, or none, means to do without it. `again`: so many were wrong. */
export type AskPassphrase = (file: string, again: number) => Promise<string | undefined>;

/** Why a key cannot be used. */
export interface KeyProblem {
  readonly encrypted: boolean;
  readonly reason: string;
}

/** How a key may be opened. */
export interface OpenKeyOptions {
  readonly passphrase?: string | undefined;
  readonly ask?: AskPassphrase | undefined;
}

type Opened = ssh2.ParsedKey | KeyProblem;

const TRIES = 3;

/**
 * Encrypted keys that were opened, for all logins that follow. A person is asked once for each key, however many hosts wait
 * for it, and for one key at a time. It also saves the work: opening a key is slow on purpose.
 */
export class KeyRing {
  readonly #keys = new Map<string, ssh2.ParsedKey>();
  readonly #asked = new Map<string, Promise<Opened>>();
  readonly #typed = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  /** What people have typed: to be kept out of everything that is printed. */
  get typed(): Iterable<string> {
    return this.#typed;
  }

  /**
   * Reads a key, with the passphrase given or, if there is none, asked for. Throws only what the asking throws.
   * @internal
   */
  async open(file: string, data: Buffer | string, { passphrase, ask }: OpenKeyOptions): Promise<Opened> {
    const plain = parse(data, undefined);
    if (!(plain instanceof Error)) return plain;
    if (!isEncrypted(plain)) return { encrypted: false, reason: plain.message };
    // By content: two hosts may have different keys that are called the same.
    const id = digest(data);
    const known = this.#keys.get(id);
    if (known) return known;
    if (passphrase !== undefined) return this.#unlock(id, data, passphrase) ?? closed('the passphrase is wrong');
    if (!ask) return closed('no passphrase was given');
    const asked = this.#asked.get(id) ?? this.#inTurn(() => this.#askFor(id, file, data, ask));
    this.#asked.set(id, asked);
    return asked;
  }

  /** Whether the key is encrypted and was not opened yet. */
  isLocked(data: Buffer | string): boolean {
    const plain = parse(data, undefined);
    return plain instanceof Error && isEncrypted(plain) && !this.#keys.has(digest(data));
  }

  #inTurn(work: () => Promise<Opened>): Promise<Opened> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #askFor(id: string, file: string, data: Buffer | string, ask: AskPassphrase): Promise<Opened> {
    for (let wrong = 0; wrong < TRIES; wrong++) {
      const answer = await ask(file, wrong);
      if (!answer) return closed('no passphrase was given');
      this.#typed.add(answer);
      const key = this.#unlock(id, data, answer);
      if (key) return key;
    }
    return closed('the passphrase is wrong');
  }

  #unlock(id: string, data: Buffer | string, passphrase: string): ssh2.ParsedKey | undefined {
    const key = parse(data, passphrase);
    if (key instanceof Error) return undefined;
    this.#keys.set(id, key);
    return key;
  }
}

function closed(reason: string): KeyProblem {
  return { encrypted: true, reason };
}

function digest(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('base64');
}

function parse(data: Buffer | string, passphrase: string | undefined): ssh2.ParsedKey | Error {
  const parsed = ssh2.utils.parseKey(data, passphrase) as ssh2.ParsedKey | ssh2.ParsedKey[] | Error;
  if (!Array.isArray(parsed)) return parsed;
  return parsed[0] ?? new Error('the file has no key');
}

function isEncrypted(error: Error): boolean {
  return /no passphrase given|Encrypted .*key detected/i.test(error.message);
}
