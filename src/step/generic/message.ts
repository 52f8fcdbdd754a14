import type { Text } from '../../model/errors/index.ts';
import { inEnglish } from '../../model/text/spoken.ts';
import { defineStep } from '../../plan/step.ts';

/** Something to tell the person who runs kubexm. */
export interface Message {
  readonly text: string | Text;
}

/** The first line with something in it. */
function firstLine(text: string | Text | undefined): string {
  return inEnglish(text).trim().split('\n')[0] ?? '';
}

/** Shows a text: a logo, what happens next, where something was put. */
export const message = defineStep<Message>()({
  kind: 'message',
  description: 'Shows a text to the person who runs kubexm.',
  title: (want) => `message ${firstLine(want.text)}`.slice(0, 60).trim(),
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => {
    io.say(want.text);
  },
  example: { text: 'The cluster is ready.' },
});
