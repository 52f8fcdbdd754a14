import { expect, test } from 'vitest';
import { type Chance, withRetries } from './retry.ts';

const patience = { attempts: 3, delaySeconds: 0.001 };
const { signal } = new AbortController();
const passing: Chance = { transient: true, retryAfter: undefined };

/** Fails so often, with this chance of another try. */
function failing(times: number): { readonly work: () => Promise<number>; tries: number } {
  const it = {
    tries: 0,
    work: async () => {
      if (++it.tries <= times) throw new Error(`failure ${it.tries}`);
      return it.tries;
    },
  };
  return it;
}

test.each<[string, number, Chance, number, string | undefined]>([
  ['works', 0, passing, 1, undefined],
  ['works at the third', 2, passing, 3, undefined],
  ['is given up, with the last failure', 5, passing, 3, 'failure 3'],
  ['is not tried again where that is no use', 5, { transient: false, retryAfter: undefined }, 1, 'failure 1'],
  ['nor where the server wants more time than anybody has', 5, { transient: true, retryAfter: 3600 }, 1, 'failure 1'],
])('%s', async (_name, times, chance, tries, message) => {
  const it = failing(times);
  const done = withRetries(patience, signal, it.work, () => chance);
  if (message === undefined) expect(await done).toBe(tries);
  else await expect(done).rejects.toThrow(message);
  expect(it.tries).toBe(tries);
});

test('work that got on has all its tries again', async () => {
  let tries = 0;
  const work = async (gotOn: () => void) => {
    tries++;
    if (tries < 6) gotOn();
    throw new Error('cut');
  };
  await expect(withRetries(patience, signal, work, () => passing)).rejects.toThrow('cut');
  expect(tries).toBe(7);
});

test('what the judge throws ends it', async () => {
  const it = failing(9);
  const judge = () => {
    throw new Error('the disk');
  };
  await expect(withRetries(patience, signal, it.work, judge)).rejects.toThrow('the disk');
  expect(it.tries).toBe(1);
});

test('stopping ends a wait', async () => {
  const stop = new AbortController();
  const waiting = withRetries({ attempts: 3, delaySeconds: 30 }, stop.signal, failing(9).work, () => passing);
  setTimeout(() => stop.abort(), 20);
  await expect(waiting).rejects.toThrow(/abort/i);
});
