import type { Question } from '../index.ts';
import type { Io } from './io.ts';

/** Asks the person at the terminal; where nobody is, the question is an error. */
export async function askPerson(question: Question, io: Io, signal?: AbortSignal): Promise<string> {
  if (question.confirm && io.assumeYes) return 'yes';
  const { inLanguage, kubexmError } = await import('../index.ts');
  const message = inLanguage(question.text, io.lang);
  if (!io.canAsk) throw kubexmError('KX1040', { question: message });
  const prompts = await import('@clack/prompts');
  // Prompts are for people: they never mix with the data on stdout.
  const streams = { input: io.stdin, output: io.stderr, ...(signal ? { signal } : {}) };
  const words = { active: io.say('answerYes'), inactive: io.say('answerNo'), initialValue: false };
  const answer = question.confirm
    ? await prompts.confirm({ message, ...words, ...streams })
    : question.secret
      ? await prompts.password({ message, ...streams })
      : await prompts.text({ message, ...streams });
  if (prompts.isCancel(answer)) throw kubexmError('KX1041', { question: message });
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no';
  return answer ?? '';
}

/** Before something that cannot be taken back: the name of the cluster has to be typed. */
export async function confirmByName(cluster: string, io: Io): Promise<void> {
  if (io.assumeYes) return;
  const given = (await askPerson({ text: io.say('typeName', { cluster }) }, io)).trim();
  if (given === cluster) return;
  const { kubexmError } = await import('../index.ts');
  throw kubexmError('KX1042', { given: given || '–', cluster });
}
