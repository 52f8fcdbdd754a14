import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Driven } from '../rig/driven.ts';
import { describeHosts } from '../rig/sshd.ts';
import { LONG_JOB, nodesWith, Sample } from './sample.ts';

/** The files and events of a run that hold what a step minted. */
function placesWithSecret(sample: Sample, run: Driven): readonly string[] {
  const dir = `${sample.dir}/.kubexm/sample`;
  const names = ['journal.jsonl', 'log.jsonl', 'plan.json', 'facts.json', 'config.json'];
  const files = [...names.map((name) => `${dir}/runs/${run.report?.run}/${name}`), `${dir}/events.db`];
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'latin1')]));
  texts.set('events', JSON.stringify(run.events));
  return [...texts].flatMap(([place, text]) => (text.includes('minted-s3cret') ? [place] : []));
}

describeHosts('a pipeline of real steps on two hosts', () => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await Sample.start(2);
  });
  afterAll(() => sample.close());
  afterEach(() => sample.reset());

  test('the first run changes, the second changes nothing, and a dry run predicts exactly what the first changed; nowhere is a minted secret', async () => {
    const dry = await sample.drive({ dryRun: true });
    expect(dry.report?.outcome).toBe('succeeded');
    const before = await sample.state();
    expect(before).not.toContain('sample/');

    const first = await sample.drive();
    expect(first.error).toBeUndefined();
    expect(first.report).toMatchObject({ outcome: 'succeeded', failures: [], lostHosts: [] });
    const changed = nodesWith(first, 'changed');
    expect(changed).toHaveLength(1 + 8 * 2);
    expect(nodesWith(dry, 'would-change')).toEqual(changed);
    const predicted = dry.events.flatMap((event) =>
      event.type === 'node-finished' && event.diff ? [[event.node, event.diff]] : [],
    );
    const happened = first.events.flatMap((event) =>
      event.type === 'node-started' && event.diff.length > 0 ? [[event.node, event.diff]] : [],
    );
    expect(Object.fromEntries(predicted)).toEqual(Object.fromEntries(happened));
    expect(await sample.traces()).toEqual([]);
    expect(placesWithSecret(sample, first)).toEqual([]);

    const after = await sample.state();
    const second = await sample.drive();
    expect(second.report?.outcome).toBe('succeeded');
    expect(nodesWith(second, 'changed')).toEqual([]);
    expect(second.report?.changes).toBe(0);
    expect(await sample.state()).toBe(after);
    expect(await sample.traces()).toEqual([]);
    const calm = await sample.drive({ dryRun: true });
    expect(nodesWith(calm, 'would-change')).toEqual([]);
  });

  test('a failing step leaves its host as it was, the other host keeps its work, finalizers ran', async () => {
    const [, second = ''] = sample.names;
    const failed = await sample.drive({ params: { failOn: second } });
    expect(failed.code).toBe(1);
    expect(failed.report).toMatchObject({ outcome: 'failed', resumable: true });
    expect(failed.report?.failures).toHaveLength(1);
    expect(failed.report?.failures[0]).toMatchObject({
      host: second,
      node: `sample/install/flag@${second}`,
      error: { code: 'KX4002', detail: 'the disk is on fire' },
    });
    const [one, two] = sample.rig.hosts;
    const listing = 'cd /srv/kx-test/sample && ls';
    expect(await two?.exec(listing)).toBe('current\nonce.log\nseed.txt\nsettings.json\n');
    expect(await one?.exec(listing)).toBe('current\nflag\njoined\nonce.log\nonce.state\nseed.txt\nsettings.json\n');
    for (const host of sample.rig.hosts) expect(await host.exec('ls /srv/kx-test')).toContain('sample.finalized');
    expect(nodesWith(failed, 'reverted')).toEqual([`sample/install/joined@${second}`, `sample/install/once@${second}`]);
  });

  test('with --on-failure keep everything stays for debugging', async () => {
    const [first = ''] = sample.names;
    const failed = await sample.drive({ params: { failOn: first }, onFailure: 'keep' });
    expect(failed.code).toBe(1);
    expect(await sample.rig.hosts[0]?.exec('cat /srv/kx-test/sample/flag')).toBe('half\n');
    expect(nodesWith(failed, 'reverted')).toEqual([]);
  });

  test('a resumed run is refused when the configuration has changed, and says how; it undoes what was done before the crash too', async () => {
    const [first = ''] = sample.names;
    const params = { failOn: first };
    const crashed = await sample.drive({ params, crashAt: `sample/install/flag@${first}:intent` });
    expect(crashed.signal).toBe('SIGKILL');
    sample.writeConfig('  network: {kubePodsCIDR: 10.99.0.0/16}\n');
    const refused = await sample.drive({ params, resume: true });
    sample.writeConfig('');
    expect(refused.code).toBe(3);
    expect(refused.error).toMatchObject({ code: 'KX4007' });
    expect(refused.error?.detail).toMatch(/kubePodsCIDR.*10\.99\.0\.0\/16/);
    const resumed = await sample.drive({ params, resume: true });
    expect(resumed.report?.outcome).toBe('failed');
    expect(await sample.rig.hosts[0]?.exec('cd /srv/kx-test/sample && ls')).toBe(
      'current\nonce.log\nseed.txt\nsettings.json\n',
    );
  });

  test('two runs at once: the second is refused with the identity of the first', async () => {
    let second: ReturnType<Sample['drive']> | undefined;
    const meanwhile = async (): Promise<Driven> => {
      const refused = await sample.drive({});
      await sample.endLongJobs();
      return refused;
    };
    const first = await sample.drive({
      params: { jobSeconds: LONG_JOB },
      onEvent: (event) => {
        if (event.type === 'node-started' && event.kind === 'once') second ??= meanwhile();
      },
    });
    const refused = await second;
    expect(first.report?.outcome).toBe('succeeded');
    expect(refused?.code).toBe(6);
    expect(refused?.error?.code).toBe('KX4020');
    expect(refused?.error?.message).toContain(first.report?.run ?? 'no run');
  });
});
