import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Driven } from '../rig/driven.ts';
import { describeHosts } from '../rig/sshd.ts';
import { randoms, seed, some, thorough } from '../rig/thorough.ts';
import { Fleet, type FleetOptions } from './manifest-fleet.ts';

const ROOT = '/srv/kx-test/fleet';
// Groups hold the same kinds of changes, each in a task of its own.
const GROUPS = thorough ? 2 : 1;
const LAST = GROUPS - 1;
// Changes are killed in two ways, and so are resets: a plain run tries one of each, the other in the next run.
const inTurn = (place: number) => (title: string, options: { readonly timeout: number }, body: () => Promise<void>) => {
  // Not by the last digit, which chooses among the cases of each.
  if (thorough || Math.floor(seed / 16) % 2 === place) test(title, options, body);
};

/** Whatever was killed, and however it went on: after a reset the hosts are as they were, and nothing of others is lost. */
describeHosts('changes and resets that are killed', () => {
  const fleets: Fleet[] = [];
  // How long a change and a reset take. Never longer than the last one that was not killed in time.
  const length = { change: 0, reset: 0 };
  let transitions: readonly string[] = [];

  beforeAll(async () => {
    const starting = Array.from({ length: thorough ? 2 : 1 }, () => Fleet.start(1, GROUPS));
    fleets.push(...(await Promise.all(starting)));
    const [first] = fleets;
    await first?.furnish();
    length.change = (await first?.change())?.report?.durationMs ?? 0;
    const reset = (await first?.reset())?.report;
    length.reset = reset?.durationMs ?? 0;
    transitions = [...new Set(first?.transitions(reset?.run ?? ''))];
    expect(transitions.length).toBeGreaterThan(30 * GROUPS);
    for (const at of transitions) expect(at).toMatch(/^(?:reset\/|run:)/);
  });
  afterAll(() => Promise.all(fleets.map((fleet) => fleet.close())));

  /** Deals the cases out to the fleets, each of which works on one at a time. */
  async function deal<T>(cases: readonly T[], work: (fleet: Fleet, one: T, k: number) => Promise<void>): Promise<void> {
    const queue = cases.entries();
    await Promise.all(
      fleets.map(async (fleet) => {
        for (const [k, one] of queue) {
          await fleet.furnish();
          await work(fleet, one, k);
        }
      }),
    );
  }

  const killedAfter = (ms: number): FleetOptions => ({
    onEvent: (event, child) => {
      if (event.type === 'run-started') setTimeout(() => child.kill('SIGKILL'), ms);
    },
  });
  /**
   * Does it until it was killed in the middle, each time earlier: how busy the machine is changes, and a run that ended before it was
   * killed tells nothing. `again` puts back what a run that was too fast has done.
   */
  async function killed(
    what: keyof typeof length,
    does: (moment: number) => Promise<Driven>,
    random: number,
    again: () => Promise<unknown>,
  ): Promise<Driven> {
    for (let tries = 0; ; tries++) {
      const driven = await does((random * length[what]) / 2 ** tries);
      if (driven.signal === 'SIGKILL' || tries === 8) {
        expect(driven.signal, 'killed in the middle').toBe('SIGKILL');
        return driven;
      }
      length[what] = Math.min(length[what], driven.report?.durationMs ?? length[what]);
      await again();
    }
  }

  /** A job of the killed run may still be going, or be about to begin: until then the machine is locked. */
  async function resets(fleet: Fleet, what: string, options: FleetOptions = {}): Promise<Driven> {
    for (let tries = 0; ; tries++) {
      const reset = await fleet.reset(options);
      if (reset.error?.code === 'KX3102' && tries < 100) {
        await sleep(500);
        continue;
      }
      expect(reset.error?.message, what).toBeUndefined();
      expect(reset.report?.outcome, `${what} ${JSON.stringify(reset.report?.failures)} ${reset.stderr}`).toBe(
        'succeeded',
      );
      return reset;
    }
  }

  inTurn(0)('changes killed at random moments, gone on with or not, then reset', { timeout: 900_000 }, async () => {
    // What is done after the kill goes round in fours: a plain run does one of them.
    const cases = some([...randoms(thorough ? 40 : 4).entries()], 1);
    await deal(cases, async (fleet, [k, random]) => {
      const what = `seed ${seed}, case ${k}`;
      const before = await fleet.picture();
      await killed(
        'change',
        (ms) => fleet.change(killedAfter(ms)),
        random,
        () => fleet.furnish(),
      );
      const theirs = k % 4 === 1;
      if (k % 4 === 1) {
        const resumed = await fleet.change({ resume: true });
        expect(['succeeded', undefined], what).toContain(resumed.report?.outcome);
        await fleet.rig.hosts[0]?.exec(`echo theirs >>${ROOT}/g${LAST}/conf`);
      } else if (k % 4 === 2) {
        await fleet.change({ params: { version: 2 }, ...killedAfter(random * length.change) });
      } else if (k % 4 === 3) {
        await fleet.change({ params: { version: 2, failAt: LAST } });
      }
      await resets(fleet, what);
      const [now = []] = await fleet.picture();
      const kept = now.filter((line) => line.includes('kubexm-kept'));
      expect(
        now.filter((line) => !line.includes('kubexm-kept')),
        what,
      ).toEqual(before[0]);
      expect(kept.length, what).toBe(theirs ? 2 : 0);
      expect(await fleet.traces(), what).toEqual([]);
    });
  });

  inTurn(1)('kubexm and everything that runs on the machine killed at once', { timeout: 900_000 }, async () => {
    let ended = 0;
    // All but the first process, this one, and who listens for logins: those have no parent in there.
    const killAll = `for d in /proc/[0-9]*; do
  p=\${d#/proc/}; [ "$p" != 1 ] && [ "$p" != $$ ] || continue
  while read -r k v; do [ "$k" != PPid: ] || [ "$v" = 0 ] || [ "$v" = $$ ] || ! kill -9 "$p" || echo "$p"; done <$d/status
done 2>/dev/null; true`;
    const cases = some([...randoms(thorough ? 30 : 2).entries()], 1);
    await deal(cases, async (fleet, [k, random]) => {
      const what = `seed ${seed}, case ${k}`;
      const before = await fleet.picture();
      const does = k % 2 === 1 ? 'reset' : 'change';
      let down: Promise<string | undefined> | undefined;
      const downAfter = (ms: number): FleetOptions => ({
        onEvent: (event, child) => {
          if (event.type !== 'run-started') return;
          down = sleep(ms).then(() => {
            child.kill('SIGKILL');
            return fleet.rig.hosts[0]?.exec(killAll);
          });
        },
      });
      const prepare = async (): Promise<void> => {
        await down;
        await fleet.furnish();
        if (does === 'reset') await fleet.change();
      };
      if (does === 'reset') await fleet.change();
      await killed(does, (ms) => fleet[does](downAfter(ms)), random, prepare);
      ended += (await down)?.match(/\d+/g)?.length ?? 0;
      await resets(fleet, what);
      expect(await fleet.picture(), what).toEqual(before);
      expect(await fleet.traces(), what).toEqual([]);
    });
    // Of kubexm alone there is a login and a shell on the machine; in a single case they may have ended with it.
    if (thorough) expect(ended).toBeGreaterThan(cases.length);
  });

  inTurn(0)('a reset killed at its transitions, resumed or started over', { timeout: 900_000 }, async () => {
    const names = new Map(fleets.map((fleet) => [fleet, fleet.names[0] ?? '']));
    const cases = some(
      transitions.flatMap((at) => [at, at.replace(/:([a-z]+)$/, ':before-$1')]),
      1,
    );
    await deal(cases, async (fleet, at, k) => {
      const crashAt = at.replace(/@[^:]+:/, `@${names.get(fleet)}:`);
      const before = await fleet.picture();
      await fleet.change();
      await fleet.rig.hosts[0]?.exec(`echo theirs >>${ROOT}/g0/conf; echo theirs >${ROOT}/g${LAST}/made`);
      const crashed = await fleet.reset({ crashAt });
      expect(crashed.signal, crashAt).toBe('SIGKILL');
      await resets(fleet, crashAt, (k + seed) % 2 === 0 && !crashAt.endsWith(':ended') ? { resume: true } : {});
      const [now = []] = await fleet.picture();
      expect(
        now.filter((line) => !line.includes('kubexm-kept')),
        crashAt,
      ).toEqual(before[0]);
      expect(now.filter((line) => line.includes('kubexm-kept')).length, crashAt).toBe(4);
      expect(await fleet.traces(), crashAt).toEqual([]);
    });
  });

  inTurn(1)('a reset killed at random moments', { timeout: 900_000 }, async () => {
    await deal(randoms(thorough ? 30 : 1), async (fleet, random, k) => {
      const what = `seed ${seed}, case ${k}`;
      const before = await fleet.picture();
      await fleet.change();
      await fleet.reset(killedAfter(random * length.reset));
      await fleet.reset(killedAfter(random * length.reset));
      await resets(fleet, what);
      expect(await fleet.picture(), what).toEqual(before);
      expect(await fleet.traces(), what).toEqual([]);
    });
  });
});
