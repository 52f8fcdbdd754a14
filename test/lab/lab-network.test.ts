import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLab, deleteLab, labPlaces } from '../../src/lab/index.ts';
import { describeLab, labEnv, removeEnv } from './fixture.ts';
import { boxState, NO_TRACES, tracesOf } from './world.ts';

const CHILD = fileURLToPath(new URL('./command-child.ts', import.meta.url));

/** What decides whether bridged packets pass the box's rules. */
function bridgeSettings(): Readonly<Record<string, string>> {
  const dir = '/proc/sys/net/bridge';
  const keys = existsSync(dir) ? readdirSync(dir) : [];
  return Object.fromEntries(keys.map((key) => [key, readFileSync(join(dir, key), 'utf8').trim()]));
}

/**
 * A box that forwards nothing, in a network namespace of its own, with a /sys of that network; then the rest. Nothing of it is
 * left with the last process.
 */
const FIREWALLED = `set -e
mount --rbind /sys/fs/cgroup "$1"
mount -t sysfs sysfs /sys
mount --rbind "$1" /sys/fs/cgroup
ip link set lo up
nft -f - <<'END'
table inet kubexm-test {
  chain forward { type filter hook forward priority 0; policy drop; }
}
END
if [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]; then cat /proc/sys/net/bridge/bridge-nf-call-iptables; fi
shift
exec "$@"`;

describeLab('the network of labs', () => {
  let env: NodeJS.ProcessEnv;
  let place: string;
  beforeAll(() => {
    env = labEnv();
    place = labPlaces(env).labs;
  });
  afterAll(() => removeEnv(env));

  test('several at once: one link each, no bridge on the box, and its own bridges filter as before', async () => {
    const names = ['a', 'b'].map((letter) => `n${letter}${process.pid}`);
    const filtering = bridgeSettings();
    const bridges = () => readdirSync('/sys/class/net').filter((link) => existsSync(`/sys/class/net/${link}/bridge`));
    const [before, had] = [names.map((name) => boxState(name, place)), bridges()];
    const labs = await Promise.all(names.map((name) => createLab({ name, machines: 2 }, { env })));
    expect(bridgeSettings()).toEqual(filtering);
    expect(bridges()).toEqual(had);
    for (const { name, link } of labs) expect(tracesOf(name, place).links).toEqual([link]);
    await deleteLab(names[0]!, { env });
    expect(bridgeSettings()).toEqual(filtering);
    await deleteLab(names[1]!, { env });
    expect(names.map((name) => boxState(name, place))).toEqual(before);
  }, 120_000);

  test('is its own: machines reach each other on a box that filters bridged packets and forwards none', () => {
    const name = `nf${process.pid}`;
    const words = [process.execPath, CHILD, 'reach', name];
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      ['--net', '--mount', '--propagation', 'private', 'sh', '-c', FIREWALLED, 'box', '/mnt', ...words],
      { env, encoding: 'utf8' },
    );
    expect({ status, stdout }, stderr).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^(1\n)?go\nreached\n/),
    });
    expect(tracesOf(name, place)).toEqual(NO_TRACES);
  }, 120_000);
});
