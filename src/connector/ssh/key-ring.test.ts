import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type AskPassphrase, KeyRing } from './key-ring.ts';

const dir = mkdtempSync(join(tmpdir(), 'kubexm-keys-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function keygen(name: string, passphrase: string): Buffer {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-a', '2', '-N', passphrase, '-f', join(dir, name)]);
  return readFileSync(join(dir, name));
}

const plain = keygen('plain', '');
const first = keygen('first', 'one');
const second = keygen('second', 'two');

/** Answers one question after the other, and notes how many were open at once. */
function answering(...answers: readonly (string | undefined | Error)[]) {
  const questions: string[] = [];
  let open = 0;
  let most = 0;
  const ask: AskPassphrase = async (file, again) => {
    most = Math.max(most, ++open);
    const answer = answers[questions.push(`${file} ${again}`) - 1];
    await new Promise((done) => setTimeout(done, 5));
    open--;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { ask, questions, most: () => most };
}

const opened = expect.objectContaining({ type: 'ssh-ed25519' });

test('many hosts that wait for one key ask once; later logins do not ask', async () => {
  const { ask, questions } = answering('one');
  const ring = new KeyRing();
  expect(ring.isLocked(first)).toBe(true);
  const keys = await Promise.all(Array.from({ length: 20 }, () => ring.open('id', first, { ask })));
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toEqual(opened);
  expect(await ring.open('id', first, { ask })).toBe(keys[0]);
  expect(await ring.open('id', first, {})).toBe(keys[0]);
  expect(ring.isLocked(first)).toBe(false);
  expect(questions).toEqual(['id 0']);
  expect([...ring.typed]).toEqual(['one']);
});

test('two keys of one name are two questions, one after the other', async () => {
  const { ask, questions, most } = answering('one', 'two');
  const ring = new KeyRing();
  const keys = await Promise.all([first, second].map((data) => ring.open('privateKey', data, { ask })));
  expect(keys).toEqual([opened, opened]);
  expect(keys[0]).not.toBe(keys[1]);
  expect({ questions, most: most() }).toEqual({ questions: ['privateKey 0', 'privateKey 0'], most: 1 });
});

test('a wrong answer may be corrected twice; then the key is given up for all', async () => {
  const late = answering('no', 'nor this', 'one');
  expect(await new KeyRing().open('id', first, late)).toEqual(opened);
  expect(late.questions).toEqual(['id 0', 'id 1', 'id 2']);
  const never = answering('no', 'nor this', 'nor that', 'one');
  const ring = new KeyRing();
  const both = await Promise.all([ring.open('id', first, never), ring.open('id', first, never)]);
  expect(both).toEqual([1, 2].map(() => ({ encrypted: true, reason: 'the passphrase is wrong' })));
  expect(never.questions).toHaveLength(3);
  expect([...ring.typed]).toEqual(['no', 'nor this', 'nor that']);
});

test.each([
  ['nothing', undefined],
  ['an empty line', ''],
])('%s for an answer means to do without the key', async (_name, answer) => {
  const { ask, questions } = answering(answer, 'two');
  const ring = new KeyRing();
  const closed = { encrypted: true, reason: 'no passphrase was given' };
  expect(await ring.open('id', first, { ask })).toEqual(closed);
  expect(await ring.open('id', first, { ask })).toEqual(closed);
  expect(await ring.open('other', second, { ask })).toEqual(opened);
  expect(questions).toEqual(['id 0', 'other 0']);
});

test('a question that cannot be asked fails everybody who waits for it, not the next key', async () => {
  const { ask } = answering(new Error('nobody is there'), 'two');
  const ring = new KeyRing();
  const waiting = [1, 2].map(() => ring.open('id', first, { ask }));
  const results = await Promise.allSettled(waiting);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  expect(await ring.open('other', second, { ask })).toEqual(opened);
});

test('a passphrase that is given is not asked for; a key without one needs none', async () => {
  const { ask, questions } = answering();
  const ring = new KeyRing();
  const wrong = { encrypted: true, reason: 'the passphrase is wrong' };
  expect(await ring.open('id', first, { ask, passphrase: 'wrong' })).toEqual(wrong);
  expect(await ring.open('id', first, { ask, passphrase: 'one' })).toEqual(opened);
  expect(await ring.open('id', plain, { ask })).toEqual(opened);
  expect(ring.isLocked(plain)).toBe(false);
  expect(await ring.open('id', 'rubbish', { ask })).toMatchObject({ encrypted: false });
  expect(questions).toEqual([]);
});
