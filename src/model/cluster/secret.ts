import { MASK } from '../text/mask.ts';

/** Where a secret's text comes from. */
export type SecretKind = 'inline' | 'env' | 'file' | 'prompt';

/**
 * A secret of the configuration: a reference, or text that the user wrote into the file.
 * The text is private, so that printing, logging or serialising a Cluster cannot show it.
 */
export class Secret {
  readonly kind: SecretKind;
  /** The variable, the path, or the prompt's label; empty for inline text. */
  readonly name: string;
  /** The path of the field that holds it: the key under which its text is found once resolved. */
  readonly at: string;
  readonly #text: string | undefined;

  constructor(kind: SecretKind, name: string, at: string, text?: string) {
    this.kind = kind;
    this.name = name;
    this.at = at;
    this.#text = text;
  }

  /** The same secret, belonging to a field. */
  placedAt(at: string): Secret {
    return new Secret(this.kind, this.name, at, this.#text);
  }

  /** The text written into the file. Only for resolving and for redaction. */
  inlineText(): string | undefined {
    return this.#text;
  }

  /** Whether both stand for the same text, as far as is known without resolving. */
  equals(other: Secret): boolean {
    return this.kind === other.kind && this.name === other.name && this.#text === other.#text;
  }

  /** How it may be shown: the reference, or a mask. */
  toString(): string {
    if (this.kind === 'inline') return MASK;
    return this.kind === 'prompt' && this.name === '' ? 'prompt' : `${this.kind}:${this.name}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Names a field by its reference form, or says what is wrong with it. */
export function parseSecret(text: string): Secret | undefined {
  if (text === 'prompt') return new Secret('prompt', '', '');
  const match = /^(env|file|prompt):(.*)$/s.exec(text);
  if (match === null) return new Secret('inline', '', '', text);
  const [, kind, name = ''] = match;
  if (kind === 'env') return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? new Secret('env', name, '') : undefined;
  if (kind === 'file') return /^(\/|~\/|\.\.?\/)\S/.test(name) ? new Secret('file', name, '') : undefined;
  return /^[^\s:][^\n]*$/.test(name) ? new Secret('prompt', name, '') : undefined;
}
