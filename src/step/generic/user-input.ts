import { kubexmError, type Text } from '../../model/errors/index.ts';
import { inEnglish } from '../../model/text/spoken.ts';
import { defineStep } from '../../plan/step.ts';

/** A question to the person who runs kubexm. */
export interface UserInput {
  readonly question: string | Text;
  /** `confirm` wants a yes and stops the run without one; `text` gives back what was typed. Default: confirm. */
  readonly type?: 'confirm' | 'text';
  /** The answer is never shown or stored, and asked for only when it is used. */
  readonly secret?: boolean;
  /** How long to wait for an answer. Default: a day. */
  readonly timeoutSeconds?: number;
}

const YES = /^(?:y|yes|true|ok|是|好|确认)$/i;

function isConfirmation({ type = 'confirm' }: UserInput): boolean {
  return type === 'confirm';
}

/** Asks, and waits for the answer. */
export const userInput = defineStep<UserInput>()({
  kind: 'userInput',
  description:
    'Asks for a confirmation, without which the run stops, or for a text. With --yes confirmations are given.',
  title: (want) => `ask: ${inEnglish(want.question)}`.slice(0, 80),
  nature: (want) => (want.secret === true ? 'mint' : 'action'),
  guard: (want) => (isConfirmation(want) ? 'question' : undefined),
  apply: async (_host, want, io): Promise<string> => {
    const confirm = isConfirmation(want);
    const answer = await io.ask({ text: want.question, confirm, secret: want.secret === true });
    if (want.secret === true && answer !== '') io.redact(answer);
    if (!confirm) return answer;
    if (!YES.test(answer.trim())) throw kubexmError('KX4013', { question: inEnglish(want.question) });
    return 'yes';
  },
  timeoutSeconds: (want) => want.timeoutSeconds ?? 24 * 3600,
  example: { question: 'Create the cluster?' },
});
