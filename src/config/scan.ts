/** What a stretch of YAML text is, judged by its characters alone, so that it also works on broken documents. */
export interface Token {
  readonly kind: 'indent' | 'plain' | 'range' | 'quoted' | 'smart' | 'block' | 'comment' | 'mark' | 'property';
  readonly start: number;
  readonly end: number;
  /** Inside how many brackets. */
  readonly flow: number;
  /** Where a key may stand: first on its line, or after `{` or a comma inside braces. */
  readonly keyPlace: boolean;
  /** Directly after a dash on the same line. */
  readonly inList: boolean;
  /** Followed by a colon that makes it a key. */
  readonly isKey: boolean;
}

/** The stretches of a text, and what matters about the whole. */
export interface Scan {
  readonly tokens: readonly Token[];
  /** The deepest nesting of brackets or of dashes on one line, and where. */
  readonly deepest: { readonly depth: number; readonly at: number };
  /** Offsets of `---` and `...` lines. */
  readonly separators: readonly number[];
}

/** Spaces that YAML does not take for spaces, zero-width ones included. */
export const ODD_SPACE = /[\u00a0\u1680\u180e\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff\u2028\u2029]/;

const OPENING_QUOTES = '“”„‟＂«「『‘’‚‛＇';
const CLOSING_QUOTES = `${OPENING_QUOTES}»」』"`;
const INDENT = /[ \t\u00a0\u1680\u180e\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]*/y;
const BLOCK_HEADER = /[|>][+-]?[0-9]?[+-]?[ \t]*(#[^\n]*)?(?=\n|$)/y;
const FLOW_RANGE = /[\w.-]+(\[[^[\]{},\n"']*\][\w.-]*)+/y;
const COLON = /[ \t]*:(?=\s|$)/y;
const PROPERTY = /[&!][^\s,[\]{}]*|\*[^\s,[\]{}]+/y;

/** Cuts a text into tokens. */
export function scan(text: string): Scan {
  return new Scanner(text).run();
}

class Scanner {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  readonly #separators: number[] = [];
  readonly #brackets: string[] = [];
  #deepest = { depth: 0, at: 0 };
  #at = 0;
  #lineStart = 0;
  /** The column that a block scalar's lines must exceed. */
  #block: number | undefined;
  #column = 0;
  /** The end of the line last asked for. */
  #end = -1;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Scan {
    while (this.#at < this.#text.length) {
      this.#lineStart = this.#at;
      if (!this.#blockLine()) this.#line();
    }
    return { tokens: this.#tokens, deepest: this.#deepest, separators: this.#separators };
  }

  #blockLine(): boolean {
    if (this.#block === undefined) return false;
    const end = this.#lineEnd(this.#at);
    const indent = this.#match(/ */y)?.length ?? 0;
    if (this.#at + indent < end && indent <= this.#block) {
      this.#block = undefined;
      return false;
    }
    this.#push('block', this.#at, end);
    this.#at = end + 1;
    return true;
  }

  #line(): void {
    const flow = this.#brackets.length;
    if (flow === 0 && /^(---|\.\.\.)(?=\s|$)/.test(this.#text.slice(this.#at, this.#at + 4))) {
      this.#separators.push(this.#at);
      this.#at += 3;
    }
    const indent = this.#match(INDENT) ?? '';
    if (indent !== '') this.#push('indent', this.#at, this.#at + indent.length);
    this.#at += indent.length;
    let state = { starts: true, first: flow === 0 || this.#brackets.at(-1) === '{', dashes: 0 };
    while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') state = this.#node(state);
    this.#at += 1;
  }

  /** Takes one token; says whether a new value may start after it. */
  #node(state: { starts: boolean; first: boolean; dashes: number }): typeof state {
    const { starts, first, dashes } = state;
    const char = this.#text[this.#at] ?? '';
    const next = this.#text[this.#at + 1] ?? '\n';
    const spaced = next === ' ' || next === '\t' || next === '\n';
    const flow = this.#brackets.length;
    if (char === ' ' || char === '\t') return this.#step(state);
    if (char === '#' && /\s/.test(this.#text[this.#at - 1] ?? '\n')) {
      this.#take('comment', this.#lineEnd(this.#at), state);
      return state;
    }
    if (char === ':' && (spaced || (flow > 0 && ',[]{}'.includes(next)))) {
      this.#take('mark', this.#at + 1, state);
      return { starts: true, first: false, dashes };
    }
    if (flow > 0 && ',]}'.includes(char)) {
      this.#take('mark', this.#at + 1, state);
      if (char !== ',') this.#brackets.pop();
      return { starts: char === ',', first: char === ',' && this.#brackets.at(-1) === '{', dashes };
    }
    if (!starts) {
      this.#take('plain', this.#plainEnd(), { ...state, first: false });
      return state;
    }
    if (char === '[' || char === '{') {
      this.#take('mark', this.#at + 1, state);
      this.#brackets.push(char);
      this.#deeper(this.#brackets.length);
      return { starts: true, first: char === '{', dashes };
    }
    if ((char === '-' || char === '?') && spaced && flow === 0) {
      this.#column = this.#at - this.#lineStart;
      this.#take('mark', this.#at + 1, state);
      this.#deeper(dashes + 1);
      return { starts: true, first: true, dashes: dashes + 1 };
    }
    if ((char === '|' || char === '>') && flow === 0) {
      const header = this.#match(BLOCK_HEADER);
      if (header !== undefined) {
        this.#block = this.#column;
        this.#take('mark', this.#at + header.length, state);
        return { starts: false, first: false, dashes };
      }
    }
    const property = this.#match(PROPERTY);
    if (property !== undefined) {
      this.#take('property', this.#at + property.length, state);
      return { starts: char !== '*', first: char !== '*' && first, dashes };
    }
    this.#scalar(char, flow, state);
    return { starts: false, first: false, dashes };
  }

  #scalar(char: string, flow: number, state: { first: boolean; dashes: number }): void {
    if (state.first) this.#column = this.#at - this.#lineStart;
    if (char === '"' || char === "'") this.#take('quoted', this.#quoteEnd(char), state);
    else if (OPENING_QUOTES.includes(char) && this.#smartEnd() !== undefined) {
      this.#take('smart', this.#smartEnd() ?? this.#at + 1, state);
    } else {
      const range = flow > 0 ? this.#match(FLOW_RANGE) : undefined;
      if (range !== undefined) this.#take('range', this.#at + range.length, state);
      else this.#take('plain', this.#plainEnd(), state);
    }
  }

  #plainEnd(): number {
    const flow = this.#brackets.length > 0;
    let at = this.#at + 1;
    for (; at < this.#text.length; at += 1) {
      const char = this.#text[at] ?? '';
      const next = this.#text[at + 1] ?? '\n';
      if (char === '\n' || (flow && ',[]{}'.includes(char))) break;
      if (char === '#' && /[ \t]/.test(this.#text[at - 1] ?? '')) break;
      if (char === ':' && (/\s/.test(next) || (flow && ',[]{}'.includes(next)))) break;
    }
    while (at > this.#at + 1 && ' \t'.includes(this.#text[at - 1] ?? '')) at -= 1;
    return at;
  }

  #quoteEnd(quote: string): number {
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const char = this.#text[at];
      if (char === '\\' && quote === '"') at += 1;
      else if (char === quote && quote === "'" && this.#text[at + 1] === "'") at += 1;
      else if (char === quote) return at + 1;
    }
    return this.#text.length;
  }

  #smartEnd(): number | undefined {
    const end = this.#lineEnd(this.#at);
    for (let at = this.#at + 1; at < end; at += 1) {
      if (CLOSING_QUOTES.includes(this.#text[at] ?? ' ')) return at + 1;
    }
    return undefined;
  }

  #step<S>(state: S): S {
    this.#at += 1;
    return state;
  }

  #take(kind: Token['kind'], end: number, state: { first: boolean; dashes: number }): void {
    this.#push(kind, this.#at, end, state);
    // A quoted text may end on a later line.
    const newline = kind === 'quoted' ? this.#text.slice(this.#at, end).lastIndexOf('\n') : -1;
    if (newline !== -1) this.#lineStart = this.#at + newline + 1;
    this.#at = end;
  }

  #push(kind: Token['kind'], start: number, end: number, state = { first: false, dashes: 0 }): void {
    COLON.lastIndex = end;
    const isKey = (kind === 'plain' || kind === 'quoted') && COLON.test(this.#text);
    const flow = this.#brackets.length;
    this.#tokens.push({ kind, start, end, flow, keyPlace: state.first, inList: state.dashes > 0 && flow === 0, isKey });
  }

  #deeper(depth: number): void {
    if (depth > this.#deepest.depth) this.#deepest = { depth, at: this.#at };
  }

  #match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    return sticky.exec(this.#text)?.[0];
  }

  /** Kept, because looking for it from every word of one long line would take time by the square of its length. */
  #lineEnd(from: number): number {
    if (from <= this.#end && from >= this.#lineStart && this.#end !== -1) return this.#end;
    const end = this.#text.indexOf('\n', from);
    this.#end = end === -1 ? this.#text.length : end;
    return this.#end;
  }
}
