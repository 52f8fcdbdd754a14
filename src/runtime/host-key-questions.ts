import type { HostKeys, ShownKey } from '../host/index.ts';
import { exitCodeOf, KubexmError, type Text } from '../model/errors/index.ts';
import { fillText } from '../model/text/fill.ts';
import type { Question } from '../plan/step.ts';

const QUESTION: Text = {
  en: 'The host key of {host} ({address}) is not known: {type} {fingerprint}. Compare it with the machine. Trust it? Type yes, no or the fingerprint',
  zh: '主机 {host}（{address}）的主机密钥未知：{type} {fingerprint}。请与机器核对。是否信任？请输入 yes、no 或指纹',
};

/** Nobody is at a terminal. */
const NOBODY = 'KX1040';

/**
 * Asks about host keys, one after the other, and about the same key of the same address once: a host may be a bastion too. `--yes` is no answer to this, so it is no confirmation. `giveUp` hears of a person
 * who does not want to be asked any more.
 */
export function hostKeyAsker(
  ask: (question: Question) => Promise<string>,
  giveUp: (error: unknown) => void,
): NonNullable<HostKeys['ask']> {
  let turn: Promise<unknown> = Promise.resolve();
  const answers = new Map<string, 'yes' | 'no'>();
  const one = async (key: ShownKey) => {
    const same = `${key.address} ${key.fingerprint}`;
    const known = answers.get(same);
    if (known !== undefined) return known;
    try {
      const text = { en: fillText(QUESTION.en, { ...key }), zh: fillText(QUESTION.zh, { ...key }) };
      const typed = (await ask({ text })).trim();
      const answer = typed.toLowerCase() === 'yes' || typed === key.fingerprint ? 'yes' : 'no';
      answers.set(same, answer);
      return answer;
    } catch (error) {
      if (error instanceof KubexmError && error.code === NOBODY) return 'nobody there';
      if (exitCodeOf(error) === 130) giveUp(error);
      throw error;
    }
  };
  return (key) => {
    const asked = turn.then(() => one(key));
    turn = asked.catch(() => undefined);
    return asked;
  };
}
