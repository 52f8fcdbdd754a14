import type { Lang, Text } from '../errors/entry.ts';

/** A text in the reader's language. One that is given in no other is as it is. */
export function inLanguage(text: string | Text, lang: Lang = 'en'): string {
  return typeof text === 'string' ? text : text[lang];
}

/** A text for titles, which are the same in every language; empty where it is not known yet. */
export function inEnglish(text: string | Text | undefined): string {
  return text === undefined ? '' : inLanguage(text);
}
