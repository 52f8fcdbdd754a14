import type { Auth } from '../host/index.ts';
import { exitCodeOf } from '../model/errors/index.ts';
import type { Redactor } from '../observe/index.ts';

/** Asks a person something that is not shown. */
export type AskSecret = (question: { readonly text: string; readonly secret: true }) => Promise<string>;

/** Asks for passphrases of keys. What is typed is a secret from then on; `giveUp` hears of a person who does not want to. */
export function passphraseAsker(
  ask: AskSecret,
  redactor: Redactor,
  giveUp: (error: unknown) => void,
): NonNullable<Auth['askPassphrase']> {
  return async (file, again) => {
    const text = again === 0 ? `Passphrase of ${file}` : `That was wrong (${again}). Passphrase of ${file}`;
    try {
      const answer = await ask({ text, secret: true });
      if (answer !== '') redactor.add(answer);
      return answer;
    } catch (error) {
      if (exitCodeOf(error) === 130) giveUp(error);
      throw error;
    }
  };
}
