import type { RunEvent } from '../../model/event.ts';
import { formsOf, secretLines } from './forms.ts';
import { Literals } from './literals.ts';
import { maskPatterns } from './patterns.ts';

// Words of a closed vocabulary: nothing a user wrote can be in them, and a reader relies on them.
const FIXED: Readonly<Record<string, RegExp>> = {
  type: /^[a-z-]{1,24}$/,
  outcome: /^[a-z-]{1,16}$/,
  code: /^KX\d{4}$/,
};

// Names the user chose in the open. A short password that happens to be part of one ("node", "etcd") is left there: masking it
// would lose the name and point at the password.
const NAMES: ReadonlySet<string> = new Set([
  'run',
  'node',
  'host',
  'module',
  'task',
  'step',
  'kind',
  'stage',
  'pipeline',
  'cluster',
  'planHash',
  'hosts',
  'nodes',
  'lostHosts',
]);

const LONG_ENOUGH_FOR_NAMES = 8;
const LINE_ALONE = 8;
const SHORT = 4;

/** The one place where secrets are taken out. Everything that leaves the process through an event passes it. */
export class Redactor {
  readonly #everywhere = new Literals();
  readonly #names = new Literals();

  /** Makes a secret unspeakable, in every form it is usually written in. */
  add(secret: string): void {
    const trimmed = secret.trim();
    for (const one of new Set([secret, trimmed])) {
      this.#learn(one, one.length < SHORT);
    }
    for (const line of secretLines(secret)) this.#learn(line, line.length < LINE_ALONE);
  }

  /** A text without secrets, known or recognisable. */
  text(text: string): string {
    return maskPatterns(this.#everywhere.mask(text));
  }

  /** An event without secrets; the same object when there were none. */
  event<E extends RunEvent>(event: E): E {
    return this.value(event);
  }

  /** Any plain value without secrets, all the way down; the same object when there were none. */
  value<T>(value: T): T {
    return this.#walk(value, '') as T;
  }

  #learn(secret: string, asWord: boolean): void {
    for (const { text, inner } of formsOf(secret)) {
      if (asWord) {
        if (!inner) this.#everywhere.addWord(text);
      } else {
        this.#everywhere.add(text, inner);
        if (secret.length >= LONG_ENOUGH_FOR_NAMES) this.#names.add(text, inner);
      }
    }
  }

  #walk(value: unknown, name: string): unknown {
    if (typeof value === 'string') {
      if (FIXED[name]?.test(value)) return value;
      return NAMES.has(name) ? this.#names.mask(value) : this.text(value);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#walkArray(value, name);
    let changed: Record<string, unknown> | undefined;
    for (const key in value) {
      const before = (value as Record<string, unknown>)[key];
      const after = name === 'params' && typeof before === 'number' ? this.#number(before) : this.#walk(before, key);
      if (after !== before) {
        changed ??= { ...value };
        changed[key] = after;
      }
    }
    return changed ?? value;
  }

  #walkArray(items: readonly unknown[], name: string): unknown {
    let changed: unknown[] | undefined;
    items.forEach((before, i) => {
      const after = this.#walk(before, name);
      if (after !== before) {
        changed ??= [...items];
        changed[i] = after;
      }
    });
    return changed ?? items;
  }

  /** A number that is itself a secret becomes a mask. */
  #number(value: number): number | string {
    const text = this.#everywhere.mask(String(value));
    return text === String(value) ? value : text;
  }
}
