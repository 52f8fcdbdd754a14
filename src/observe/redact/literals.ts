import { MASK } from '../../model/text/mask.ts';

/** `spill`: the text is the middle of an encoding whose edges also carry bits of the secret, so the neighbours go too. */
interface Literal {
  readonly text: string;
  readonly spill: boolean;
}

const SHORT = 4;
const SLOTS = 1 << 16;

/**
 * Finds many literal texts at once. Adding one is cheap at any time, and a text without any of them is passed over at a few
 * nanoseconds a character, however many are known. Literals of fewer than four characters count only as whole words.
 */
export class Literals {
  readonly #known = new Set<string>();
  readonly #bySlot = new Map<number, Literal[]>();
  readonly #slots = new Uint8Array(SLOTS);
  readonly #words = new Set<string>();
  #wordPattern: RegExp | undefined;
  #longest = 0;

  /** Nothing to look for. */
  get empty(): boolean {
    return this.#known.size === 0;
  }

  /** Looks for one more text. */
  add(text: string, spill = false): void {
    if (text === '' || this.#known.has(text)) return;
    this.#known.add(text);
    if (text.length < SHORT) {
      this.addWord(text);
      return;
    }
    const slot = slotOf(text, 0);
    const others = this.#bySlot.get(slot) ?? [];
    others.push({ text, spill });
    others.sort((a, b) => b.text.length - a.text.length);
    this.#bySlot.set(slot, others);
    this.#slots[slot] = 1;
    this.#longest = Math.max(this.#longest, text.length);
  }

  /** Looks for a text that counts only when no letter, digit or underscore touches it. */
  addWord(text: string): void {
    if (text === '') return;
    this.#known.add(text);
    this.#words.add(text);
    const words = [...this.#words]
      .sort((a, b) => b.length - a.length)
      .map((word) => word.replace(/[^A-Za-z0-9_]/g, '\\$&'));
    this.#wordPattern = new RegExp(`(?<![A-Za-z0-9_])(?:${words.join('|')})(?![A-Za-z0-9_])`, 'g');
  }

  /** The text with each of them masked; overlapping ones become one mask. */
  mask(text: string): string {
    if (this.empty) return text;
    const long = this.#longest === 0 || text.length < SHORT ? text : this.#maskLong(text);
    return this.#wordPattern === undefined ? long : long.replace(this.#wordPattern, MASK);
  }

  #maskLong(text: string): string {
    const slots = this.#slots;
    let out = '';
    let copied = 0;
    let start = -1;
    let end = -1;
    for (let i = 0; i <= text.length - SHORT; i++) {
      const slot = slotOf(text, i);
      if (slots[slot] === 0) continue;
      const found = this.#bySlot.get(slot)?.find((literal) => text.startsWith(literal.text, i));
      if (found === undefined) continue;
      const [from, to] = found.spill ? spilled(text, i, i + found.text.length) : [i, i + found.text.length];
      if (start >= 0 && from <= end) {
        end = Math.max(end, to);
      } else {
        if (start >= 0) {
          out += text.slice(copied, start) + MASK;
          copied = end;
        }
        start = Math.max(from, copied);
        end = to;
      }
    }
    if (start < 0) return text;
    return out + text.slice(copied, start) + MASK + text.slice(end);
  }
}

/** A hash of the four characters at a place. */
function slotOf(text: string, at: number): number {
  const a = text.charCodeAt(at) + (text.charCodeAt(at + 1) << 5);
  const b = (text.charCodeAt(at + 2) << 10) + (text.charCodeAt(at + 3) << 3);
  return (a ^ b) & (SLOTS - 1);
}

const BASE64 = /[A-Za-z0-9+/_=-]/;

function spilled(text: string, from: number, to: number): readonly [number, number] {
  const start = from > 0 && BASE64.test(text.charAt(from - 1)) ? from - 1 : from;
  let end = to;
  if (end < text.length && BASE64.test(text.charAt(end))) end++;
  while (text.charAt(end) === '=') end++;
  return [start, end];
}
