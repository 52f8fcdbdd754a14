import { expect, test } from 'vitest';
import { BuildLedger, type BuildsProgress } from './build-ledger.ts';

const kubernetes = { name: 'kubernetes', programs: ['kubeadm', 'kubelet', 'kubectl'], seconds: 300 };
const runc = { name: 'runc', programs: ['runc'], seconds: 100 };

/** A ledger with a clock of its own. */
function counting() {
  let now = 0;
  const ledger = new BuildLedger(() => now);
  ledger.plan([kubernetes, runc]);
  return { ledger, pass: (seconds: number) => (now += seconds * 1000) };
}

test('before anything is built, all of the estimate is left', () => {
  expect(counting().ledger.progress()).toEqual({ programs: 4, built: 0, share: 0, leftSeconds: 400 });
});

test('one count over all builds: by how long each takes, not by how many are over', () => {
  const { ledger, pass } = counting();
  const small = ledger.begin(runc);
  pass(100);
  small.end(true);
  expect(ledger.progress()).toEqual({ programs: 4, built: 1, share: 0.25, leftSeconds: 300 });
});

test('as fast as planned, what is left shrinks as time passes', () => {
  const { ledger, pass } = counting();
  const one = ledger.begin(kubernetes);
  pass(30);
  one.progress(0, 100);
  let before = ledger.progress().leftSeconds;
  expect(before).toBe(370);
  for (let i = 1; i <= 18; i++) {
    pass(15);
    one.progress(i, 18);
    const { leftSeconds } = ledger.progress();
    expect(leftSeconds).toBeLessThan(before);
    before = leftSeconds;
  }
  expect(before).toBeLessThan(130);
  expect(before).toBeGreaterThan(100);
});

test('slower than planned, more is left than planned; it is never over before it is', () => {
  const { ledger, pass } = counting();
  const one = ledger.begin(kubernetes);
  pass(300);
  one.progress(40, 100);
  const { share, leftSeconds } = ledger.progress();
  // After all of the time that was planned for it, not half of it is done.
  expect(share).toBeLessThan(0.4);
  expect(leftSeconds).toBeGreaterThan(400);
  pass(3000);
  one.progress(100, 100);
  expect(ledger.progress().share).toBeLessThan(0.75);
  expect(ledger.progress().leftSeconds).toBeGreaterThan(100);
});

test('while modules are downloaded time counts, up to a part', () => {
  const { ledger, pass } = counting();
  const one = ledger.begin(kubernetes);
  pass(15);
  one.progress(7, undefined);
  expect(ledger.progress().share).toBeCloseTo((0.05 * 300) / 400);
  pass(3000);
  one.progress(9, undefined);
  expect(ledger.progress().share).toBeCloseTo((0.1 * 300) / 400);
});

test('two builds at a time share the cores: each took what it would have taken alone', () => {
  const { ledger, pass } = counting();
  const [big, small] = [ledger.begin(kubernetes), ledger.begin(runc)];
  pass(100);
  expect(small.end(true)).toBe(50);
  pass(50);
  expect(big.end(true)).toBe(100);
  expect(ledger.progress()).toMatchObject({ built: 4, share: 1, leftSeconds: 0 });
});

test('a build that failed, or that somebody else made, is not waited for; one that nobody planned counts too', () => {
  const { ledger } = counting();
  ledger.begin(runc).end(false);
  expect(ledger.progress()).toMatchObject({ programs: 3, leftSeconds: 300 });
  ledger.settle('kubernetes');
  expect(ledger.progress()).toMatchObject({ programs: 0, share: 1, leftSeconds: 0 });
  ledger.begin({ name: 'etcd', programs: ['etcd'], seconds: 70 });
  expect(ledger.progress()).toMatchObject({ programs: 1, leftSeconds: 70 });
});

test('watchers hear of every change until they stop', () => {
  const { ledger } = counting();
  const seen: BuildsProgress[] = [];
  const stop = ledger.watch((progress) => void seen.push(progress));
  const one = ledger.begin(runc);
  one.progress(1, 2);
  one.end(true);
  expect(seen.map(({ built }) => built)).toEqual([0, 0, 1]);
  stop();
  ledger.begin(kubernetes);
  expect(seen).toHaveLength(3);
});
