import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeHosts, type RigHost } from '../rig/sshd.ts';
import { thorough } from '../rig/thorough.ts';
import { LONG_JOB, nodesWith, Sample } from './sample.ts';

describeHosts('a run whose network fails', () => {
  let sample: Sample;
  let expected = '';
  beforeAll(async () => {
    sample = await Sample.start(2);
    expect((await sample.drive()).report?.outcome).toBe('succeeded');
    expected = await sample.state();
    await sample.reset();
  });
  afterAll(() => sample.close());
  afterEach(() => sample.reset());

  test('connections cut again and again: it reconnects and comes to the same result', {
    timeout: 300_000,
  }, async () => {
    for (let round = 0; round < (thorough ? 10 : 1); round++) {
      let over = false;
      const cuts = async (): Promise<void> => {
        for (let cut = 0; cut < 6 && !over; cut++) {
          await sleep(80 + Math.random() * 250);
          const host = sample.rig.hosts[Math.floor(Math.random() * sample.rig.hosts.length)];
          await host?.cutConnections();
        }
      };
      let cutting: Promise<void> | undefined;
      const run = await sample.drive({
        reconnectSeconds: 20,
        heard: (event) => {
          if (event.type === 'run-started') cutting ??= cuts();
        },
      });
      over = true;
      await cutting;
      expect(run.error?.message).toBeUndefined();
      expect(run.report?.outcome, JSON.stringify(run.report?.failures)).toBe('succeeded');
      expect(await sample.state()).toBe(expected);
      expect(await sample.onceLogs()).toEqual(['start\n', 'start\n']);
      await sample.reset();
    }
  });

  test('a host that vanishes and returns in time is waited for', async () => {
    const [, second] = sample.rig.hosts;
    let away: Promise<void> | undefined;
    const run = await sample.drive({
      params: { jobSeconds: 1 },
      reconnectSeconds: 30,
      heard: (event) => {
        if (event.type !== 'node-started' || event.kind !== 'once' || event.host !== second?.name) return;
        away ??= (async () => {
          await second?.stop();
          await sleep(700);
          await second?.restart();
        })();
      },
    });
    await away;
    expect(run.report?.outcome, JSON.stringify(run.report)).toBe('succeeded');
    expect(await sample.state()).toBe(expected);
    expect(await sample.onceLogs()).toEqual(['start\n', 'start\n']);
  });

  test('a host that stays away is set aside: nothing on it is reverted, the rest goes on, --resume completes it', async () => {
    const [first, second] = sample.rig.hosts as [RigHost, RigHost];
    let gone: Promise<void> | undefined;
    // Not over before the host is away.
    const params = { jobSeconds: LONG_JOB };
    const run = await sample.drive({
      params,
      reconnectSeconds: 1,
      // In a process of its own: as long as that lives, it owns the host that it has lost.
      onEvent: (event) => {
        if (event.type === 'node-finished' && event.node === `sample/prepare/link@${second?.name}`)
          gone ??= second?.stop().then(() => sample.endLongJobs([first]));
      },
    });
    await gone;
    expect(run.report?.outcome).toBe('partial');
    expect(run.code).toBe(7);
    expect(run.report?.lostHosts).toEqual([second?.name]);
    expect(nodesWith(run, 'reverted')).toEqual([]);
    expect(nodesWith(run, 'unknown').length).toBeGreaterThan(0);
    expect(nodesWith(run, 'changed')).toContain(`sample/install/once@${first?.name}`);
    await second?.restart();
    const ended = sample.endLongJobs([second]);
    const resumed = await sample.drive({ params, resume: true });
    await ended;
    expect(resumed.report?.outcome, JSON.stringify(resumed.report ?? resumed.error)).toBe('succeeded');
    expect(await sample.state()).toBe(expected);
    expect(await sample.onceLogs()).toEqual(['start\n', 'start\n']);
  });

  test('a host that is away from the beginning refuses the run before anything is changed', async () => {
    const [first, second] = sample.rig.hosts;
    await second?.stop();
    const run = await sample.drive();
    await second?.restart();
    expect(run.code).toBe(5);
    expect(run.report).toBeUndefined();
    expect(await first?.exec('ls /srv/kx-test')).not.toContain('sample');
  });
});
