import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Driven } from '../rig/driven.ts';
import { describeHosts } from '../rig/sshd.ts';
import { randoms, seed, some, thorough } from '../rig/thorough.ts';
import { Sample } from './sample.ts';

/** Kills of every kind are followed by --resume: always the same result, nothing lost, nothing once-only done twice. */
describeHosts('a run that is killed', () => {
  const samples: Sample[] = [];
  // What a run that nobody kills leaves, on any hosts, how long it takes, and its transitions.
  let expected = '';
  let length = 0;
  let transitions: readonly string[] = [];

  beforeAll(async () => {
    samples.push(...(await Promise.all(Array.from({ length: thorough ? 2 : 1 }, () => Sample.start(2)))));
    const [sample] = samples;
    const report = (await sample?.drive())?.report;
    expect(report?.outcome).toBe('succeeded');
    expected = (await sample?.state()) ?? '';
    length = report?.durationMs ?? 0;
    transitions = [...new Set(sample?.journal().map(({ node, phase }) => `${node}:${phase}`))];
  });
  afterAll(() => Promise.all(samples.map((sample) => sample.close())));

  /** Resumes until the run has succeeded, and looks at everything it left. */
  async function goesOn(sample: Sample, what: string): Promise<Driven> {
    const resumed = await sample.drive({ resume: true });
    expect(resumed.error, `${what}: ${resumed.error?.message}`).toBeUndefined();
    expect(resumed.report?.outcome, `${what}: ${JSON.stringify(resumed.report?.failures)} ${resumed.stderr}`).toBe(
      'succeeded',
    );
    expect(await sample.state(), what).toBe(expected);
    expect(await sample.onceLogs(), what).toEqual(['start\n', 'start\n']);
    expect(await sample.traces(), what).toEqual([]);
    return resumed;
  }

  /** Deals the cases out to the samples, each of which works on one at a time. */
  async function deal<T>(cases: readonly T[], work: (sample: Sample, one: T) => Promise<void>): Promise<void> {
    const queue = cases.values();
    await Promise.all(
      samples.map(async (sample) => {
        for (const one of queue) {
          await sample.reset();
          await work(sample, one);
        }
      }),
    );
  }

  test('at every transition of its journal', { timeout: 600_000 }, async () => {
    expect(transitions.length).toBeGreaterThan(50);
    const everywhere = transitions.flatMap((at) => [at, at.replace(/:([a-z]+)$/, ':before-$1')]);
    const cases = some(everywhere, 1);
    let attached = 0;
    await deal(cases, async (one, crashAt) => {
      const crashed = await one.drive({ crashAt });
      expect(crashed.signal, crashAt).toBe('SIGKILL');
      if (crashAt === 'run:ended') {
        expect(await one.traces(), crashAt).toEqual([]);
        return;
      }
      const resumed = await goesOn(one, crashAt);
      attached += resumed.events.filter((event) => event.type === 'node-attached').length;
    });
    if (thorough) expect(attached).toBeGreaterThan(0);
  });

  test('with kill -9 at random moments', { timeout: 600_000 }, async () => {
    const moments = randoms(thorough ? 50 : 1);
    await deal(moments, async (one, random) => {
      let moment = 0;
      // One that is over before it is killed tells nothing: the machine is less busy now than it was before, and it dies earlier.
      for (let tries = 0; ; tries++) {
        expect(tries).toBeLessThan(8);
        moment = (random * length) / 2 ** tries;
        const first = await one.drive({
          onEvent: (event, child) => {
            if (event.type === 'run-started') setTimeout(() => child.kill('SIGKILL'), moment);
          },
        });
        if (one.journal().at(-1)?.outcome !== 'succeeded') {
          expect(first.signal).toBe('SIGKILL');
          break;
        }
        expect(await one.traces()).toEqual([]);
        length = Math.min(length, first.report?.durationMs ?? length);
        await one.reset();
      }
      await goesOn(one, `seed ${seed}, killed ${Math.round(moment)} ms after its start`);
    });
  });
});
