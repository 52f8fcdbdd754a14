import { defineStep } from '../../plan/step.ts';

/** Something to tell the person who runs kubexm. */
export interface Message {
  readonly text: string;
}

/** Shows a text: a logo, what happens next, where something was put. */
export const message = defineStep<Message>()({
  kind: 'message',
  description: 'Shows a text to the person who runs kubexm.',
  title: (want) => `message ${want.text.trim().split('\n')[0] ?? ''}`.slice(0, 60).trim(),
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => {
    io.say(want.text);
  },
  example: { text: 'The cluster is ready.' },
});
