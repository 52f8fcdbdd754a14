import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Driven } from '../rig/driven.ts';
import { describeHosts } from '../rig/sshd.ts';
import { Fleet } from './manifest-fleet.ts';

const ROOT = '/srv/kx-test/fleet';

function succeeded(driven: Driven, what = ''): Driven {
  expect(driven.error?.message, what).toBeUndefined();
  expect(driven.report?.outcome, `${what} ${JSON.stringify(driven.report?.failures)} ${driven.stderr}`).toBe(
    'succeeded',
  );
  return driven;
}

const messages = (driven: Driven) =>
  driven.events
    .flatMap((event) =>
      event.type === 'node-report' && event.report.type === 'left' ? [`${event.host}: ${event.report.text}`] : [],
    )
    .toSorted();

let fleet: Fleet;
let before: readonly (readonly string[])[];
const useFleet = (hosts: number, groups: number): void => {
  beforeAll(async () => {
    fleet = await Fleet.start(hosts, groups);
  });
  afterAll(() => fleet.close());
  beforeEach(async () => {
    await fleet.furnish();
    before = await fleet.picture();
  });
};

describeHosts('the manifest of one host', () => {
  useFleet(1, 2);

  test('what was changed twice goes back to what it was before the first time, and nothing of kubexm stays', async () => {
    succeeded(await fleet.change({ params: { groups: 1 } }));
    succeeded(await fleet.change({ params: { version: 2, groups: 1 } }));
    expect(await fleet.picture()).not.toEqual(before);
    const dry = succeeded(await fleet.reset({ dryRun: true }));
    const reset = succeeded(await fleet.reset());
    expect(await fleet.picture()).toEqual(before);
    expect(await fleet.traces()).toEqual([]);
    expect(messages(reset)).toEqual([]);
    expect(dry.report?.changes).toBe(reset.report?.changes);
    const ids = reset.events.flatMap((event) => (event.type === 'node-started' ? [event.node] : []));
    expect(ids[0]).toMatch(/^reset\/undo\/0000\d\d-manifest-g0-command@/);
    const again = succeeded(await fleet.reset());
    expect(again.report?.changes).toBe(0);
  });

  test('only root reads it, without any content of files; what somebody else changed is kept, and told', async () => {
    succeeded(await fleet.change({ params: { groups: 1 } }));
    const [one] = fleet.rig.hosts;
    expect(await one?.exec('stat -c %a /var/lib/kubexm/manifest')).toBe('700\n');
    const leaks = await one?.exec('grep -rl "version 1 of" /var/lib/kubexm/manifest/entries/*/meta || echo none');
    expect(leaks).toBe('none\n');
    await one?.exec(`cd ${ROOT}/g0 && echo theirs >conf && echo new >deep/er/theirs && rm made && chmod 0666 sent`);
    const reset = succeeded(await fleet.reset());
    const now = await fleet.picture();
    const extra = (now[0] ?? [])
      .filter((line) => !before[0]?.includes(line))
      .map((line) => line.replace(/^[0-9a-f]{64} {2}/, ''));
    expect((now[0] ?? []).filter((line) => before[0]?.includes(line))).toEqual(before[0]);
    expect([...new Set(extra.map((line) => line.split(' ')[0]?.replace(/\d{8}$/, 'D')))].toSorted()).toEqual([
      './g0/conf.kubexm-kept-D',
      './g0/deep',
      './g0/deep/er',
      './g0/deep/er/theirs',
      './g0/sent.kubexm-kept-D',
    ]);
    expect(await one?.exec(`cat ${ROOT}/g0/conf.kubexm-kept-*`)).toBe('theirs\n');
    expect(messages(reset).map((text) => text.replaceAll(/\d{8}$/g, 'D'))).toEqual(
      [
        `${one?.name}: ${ROOT}/g0/conf was changed by somebody else: kept as ${ROOT}/g0/conf.kubexm-kept-D`,
        `${one?.name}: ${ROOT}/g0/deep/er stays: what is in it was not put there by this step`,
        `${one?.name}: ${ROOT}/g0/sent was changed by somebody else: kept as ${ROOT}/g0/sent.kubexm-kept-D`,
      ].toSorted(),
    );
    expect(await fleet.traces()).toEqual([]);
  });

  test('a failed step leaves no entries of its task; the rest is reset', async () => {
    const failed = await fleet.change({ params: { failAt: 1 } });
    expect(failed.report?.outcome).toBe('failed');
    const [one] = fleet.rig.hosts;
    expect(Number(await one?.exec('ls /var/lib/kubexm/manifest/entries | wc -l'))).toBe(12);
    succeeded(await fleet.reset());
    expect(await fleet.picture()).toEqual(before);
    expect(await fleet.traces()).toEqual([]);
  });
});

describeHosts('the manifests of three hosts', () => {
  useFleet(3, 1);

  test('another cluster is refused; what somebody else changed, or took away, on one of them is no matter of the others', async () => {
    succeeded(await fleet.change());
    fleet.writeConfig('other');
    const refused = await fleet.change();
    expect(refused.error?.code).toBe('KX8101');
    expect(refused.error?.message).toContain('fleet');
    expect((await fleet.reset()).error?.code).toBe('KX8101');
    fleet.writeConfig('fleet');
    const [one, two, three] = fleet.rig.hosts;
    await one?.exec(`echo theirs >${ROOT}/g0/conf`);
    await three?.exec('rm -rf /var/lib/kubexm');
    const reset = succeeded(await fleet.reset());
    const warned = reset.events.flatMap((event) => (event.type === 'warning' ? [event.error] : []));
    expect(warned).toMatchObject([{ code: 'KX8103', params: { host: three?.name } }]);
    expect(messages(reset)).toEqual([expect.stringContaining(`${one?.name}: ${ROOT}/g0/conf was changed`)]);
    const now = await fleet.picture();
    expect((now[0] ?? []).filter((line) => !line.includes('kubexm-kept'))).toEqual(before[0]);
    expect(now[1]).toEqual(before[1]);
    expect(await two?.exec(`ls ${ROOT}/g0 | grep -c kept || true`)).toBe('0\n');
    expect(await fleet.traces()).toEqual([]);
  });
});
