import { expect, test, vi } from 'vitest';
import { kubexmError } from '../model/errors/index.ts';
import { inLanguage } from '../model/text/spoken.ts';
import type { Question } from '../plan/step.ts';
import { hostKeyAsker } from './host-key-questions.ts';

const fingerprint = `SHA256:${'x'.repeat(43)}`;
const key = (host: string, address = '192.0.2.1') => ({ host, address, type: 'ssh-ed25519', fingerprint });

test.each([
  ['yes', 'yes'],
  [' YES ', 'yes'],
  [fingerprint, 'yes'],
  [fingerprint.toLowerCase(), 'no'],
  ['y', 'no'],
  ['', 'no'],
  ['no', 'no'],
])('the answer "%s" is %s', async (answer, expected) => {
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return answer;
  };
  expect(await hostKeyAsker(ask, () => undefined)(key('node1'))).toBe(expected);
  expect(inLanguage(asked[0]?.text ?? '')).toContain(`node1 (192.0.2.1) is not known: ssh-ed25519 ${fingerprint}`);
  // --yes answers confirmations, and must not answer this.
  expect(asked[0]?.confirm).toBeUndefined();
});

test('one question at a time; one that fails does not keep the next from being asked', async () => {
  let open = 0;
  const ask = vi.fn(async ({ text }: Question) => {
    expect(++open).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
    if (inLanguage(text).includes('node2')) throw new Error('broken');
    return 'yes';
  });
  const asker = hostKeyAsker(ask, () => undefined);
  const hosts = ['node1', 'node2', 'node3'];
  const answers = await Promise.allSettled(hosts.map((host, i) => asker(key(host, `192.0.2.${i + 1}`))));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(inLanguage(ask.mock.calls[0]?.[0].text ?? '', 'zh')).toContain('是否信任');
});

test.each(['yes', 'no'] as const)('a host that is a bastion too is asked about once: %s', async (answer) => {
  const ask = vi.fn(async () => answer);
  const asker = hostKeyAsker(ask, () => undefined);
  expect(await Promise.all([asker(key('node1')), asker(key('gate'))])).toEqual([answer, answer]);
  expect(ask).toHaveBeenCalledTimes(1);
  await asker({ ...key('node1'), fingerprint: `SHA256:${'y'.repeat(43)}` });
  expect(ask).toHaveBeenCalledTimes(2);
});

test('without a terminal nobody is there; a person who presses Ctrl-C is not asked for the others', async () => {
  const nobody = hostKeyAsker(
    async ({ text }) => Promise.reject(kubexmError('KX1040', { question: inLanguage(text) })),
    vi.fn(),
  );
  expect(await nobody(key('node1'))).toBe('nobody there');
  const giveUp = vi.fn();
  const cancelled = kubexmError('KX1041', { question: '' });
  await expect(hostKeyAsker(async () => Promise.reject(cancelled), giveUp)(key('node1'))).rejects.toBe(cancelled);
  expect(giveUp).toHaveBeenCalledWith(cancelled);
});
