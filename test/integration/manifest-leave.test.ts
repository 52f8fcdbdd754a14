import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunEvent, resetNodes, runPipeline } from '../../src/index.ts';
import { describeHosts } from '../rig/sshd.ts';
import { Fleet } from './manifest-fleet.ts';

const ROOT = '/srv/kx-test/fleet';

describeHosts('reset of what cannot be undone', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(1, 1);
    await fleet.furnish();
  });
  afterAll(() => fleet.close());

  test('it stands in the way for ever, unless it is left; all else is undone, and nothing of kubexm stays', async () => {
    const [host] = fleet.rig.hosts;
    const [before = []] = await fleet.picture();
    expect((await fleet.change()).report?.outcome).toBe('succeeded');
    // No step of the daemon's kind is known here, and where a directory was, somebody has mounted something.
    await host?.exec(`cd ${ROOT}/g0 && mkdir tree && mount -t tmpfs none tree && echo theirs >tree/theirs`);
    const messages: string[] = [];
    const sink = (event: RunEvent) =>
      void (event.type === 'node-report' && event.report.type === 'left' && messages.push(event.report.text));
    const options = {
      configFile: join(fleet.dir, 'cluster.yaml'),
      baseDir: fleet.dir,
      sinks: [sink],
      onFailure: 'keep' as const,
    };
    const nodes = fleet.names;
    for (const _ of [1, 2]) {
      const stuck = await runPipeline(resetNodes, { nodes }, options);
      expect(stuck.failures.map(({ error }) => error.code)).toEqual(['KX8104']);
    }
    const left = await runPipeline(resetNodes, { nodes, leave: true }, options);
    expect([left.outcome, left.failures]).toEqual(['succeeded', []]);
    expect(messages.filter((text) => text.includes(' stays: ')).toSorted()).toEqual([
      expect.stringMatching(`${ROOT}/g0/tree stays: something is mounted on or below`),
      expect.stringMatching('daemon d stays: .*testDaemon'),
    ]);
    expect(await host?.exec(`cat ${ROOT}/g0/tree/theirs; umount ${ROOT}/g0/tree; cat ${ROOT}/g0/d.daemon`)).toBe(
      'theirs\nruns\n',
    );
    const [now = []] = await fleet.picture();
    const mine = (line: string) => !/\.\/g0\/(tree|d\.daemon)/.test(line);
    expect(now.filter(mine)).toEqual(before.filter(mine));
    expect(await fleet.traces()).toEqual([]);
    expect((await runPipeline(resetNodes, { nodes }, options)).changes).toBe(0);
  });
});
