/** One way to log in that a server offers. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  readonly params: Readonly<Record<string, string>>;
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const VALUE = /\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+\-.^_`|~0-9A-Za-z:/?=]+))/y;

/** Reads WWW-Authenticate, in which several challenges may stand, and commas inside of quotes. */
export function parseChallenges(header: string | undefined): readonly Challenge[] {
  const text = header ?? '';
  const challenges: { scheme: string; params: Record<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(/[\s,]*/y);
    const word = take(TOKEN)?.[0];
    if (word === undefined) return challenges;
    const value = take(VALUE);
    const current = challenges.at(-1);
    if (value === null) challenges.push({ scheme: word.toLowerCase(), params: {} });
    else if (current !== undefined) {
      current.params[word.toLowerCase()] = value[1]?.replace(/\\(.)/g, '$1') ?? value[2] ?? '';
    }
  }
}
