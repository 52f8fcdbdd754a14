const CODES = {
  plain: '',
  bold: '1',
  dim: '2',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
  boldRed: '1;31',
  boldGreen: '1;32',
} as const;

/** How a piece of text looks. Colour only ever underlines what a sign or a word says already. */
export type Style = keyof typeof CODES;

/** Puts a style on a text, or leaves it alone. */
export type Paint = (style: Style, text: string) => string;

/** Paints, or does nothing where colour is not wanted. */
export function painter(enabled: boolean): Paint {
  if (!enabled) return (_style, text) => text;
  return (style, text) => (style === 'plain' || text === '' ? text : `\x1b[${CODES[style]}m${text}\x1b[0m`);
}

/** Whether a stream gets colour: the flag first, then FORCE_COLOR and NO_COLOR, then whether it is a terminal. */
export function wantsColor(isTerminal: boolean, env: NodeJS.ProcessEnv, noColor: boolean): boolean {
  if (noColor) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (env['NO_COLOR']) return false;
  return isTerminal && env['TERM'] !== 'dumb';
}

/** Whether signs beyond ASCII can be shown. */
export function hasUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return env['TERM'] !== 'linux' && /utf-?8/i.test(locale);
}
