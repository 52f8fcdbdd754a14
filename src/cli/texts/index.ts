import type { Lang } from '../../index.ts';
import { fillText } from '../../model/text/fill.ts';
import { en } from './en.ts';
import { zh } from './zh.ts';

/** The name of a text. */
export type TextKey = keyof typeof en;

type Names<T extends string> = T extends `${string}{${infer P}}${infer Rest}` ? P | Names<Rest> : never;
type Params<K extends TextKey> = [Names<(typeof en)[K]>] extends [never]
  ? []
  : [params: Readonly<Record<Names<(typeof en)[K]>, string | number>>];

/** The name of a text without parameters. */
export type PlainKey = { [K in TextKey]: [Names<(typeof en)[K]>] extends [never] ? K : never }[TextKey];

/** Whether there is a text of that name. */
export function isText(key: string): key is PlainKey {
  return key in en;
}

/** Says a text in the reader's language; the compiler knows which parameters it has. */
export type Say = <K extends TextKey>(key: K, ...params: Params<K>) => string;

const TABLES: Readonly<Record<Lang, Readonly<Record<TextKey, string>>>> = { en, zh };

/** The texts of a language. */
export function speaker(lang: Lang): Say {
  const table = TABLES[lang];
  return (key, ...[params]) => {
    const values: Readonly<Record<string, string | number>> = params ?? {};
    return fillText(table[key], values);
  };
}

type Counted = 'step' | 'host' | 'program' | 'warning' | 'error';

/** `1 host`, `3 hosts`. */
export function countText(say: Say, what: Counted, n: number): string {
  return n === 1 ? say(`${what}.one`) : say(`${what}.many`, { n });
}

/** The language to speak: the flag, else what the environment says. */
export function langOf(flag: string | undefined, env: NodeJS.ProcessEnv): Lang {
  if (flag === 'en' || flag === 'zh') return flag;
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  return /^zh/i.test(locale) ? 'zh' : 'en';
}
