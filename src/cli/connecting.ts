import type { Question, ShownKey } from '../index.ts';
import { askPerson } from './ask.ts';
import type { Io } from './io.ts';
import { pinnedLines } from './pinned-keys.ts';

/** What connecting to hosts outside of a run needs from the person at the terminal. */
export function connecting(io: Io) {
  return {
    env: io.env,
    ask: (question: Question) => askPerson(question, io),
    onPinned: (keys: readonly ShownKey[], file: string) => io.note(pinnedLines(keys, file, io)),
  };
}
