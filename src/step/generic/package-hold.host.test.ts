import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Bench, check, io, scratch } from '../../../test/contract/bench.ts';
import { ShellHost } from '../../../test/contract/shell-host.ts';
import { useOneHost } from '../../../test/rig/one-host.ts';
import { describeHosts, type RigHost } from '../../../test/rig/sshd.ts';
import { rpmCommands, rpmShell } from '../../../test/support/rpm-stand-in.ts';
import type { LinkedMachine } from '../../host/machine.ts';
import { parseHolds } from '../../host/os/package-hold.ts';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type PackageHold, packageHold } from './package-hold.ts';

const step = packageHold.definition;

describe('what the package managers say', () => {
  test.each([
    ['apt', 'manager apt\nkubelet\nlibc6:i386\n', ['kubelet', 'libc6']],
    ['dnf 4', 'manager dnf\nkubelet-0:1.33.4-150500.1.1.*\nkube-proxy-ng-0:1.0-1.*\n', ['kube-proxy-ng', 'kubelet']],
    [
      'dnf 5',
      "manager dnf\n# Added by 'versionlock add' command on 2025-01-01\nPackage name: kubelet\nevr = 1.33.4-1\n",
      ['kubelet'],
    ],
    ['yum', 'manager yum\n0:kubelet-1.33.4-0.*\nversionlock list done\n', ['kubelet']],
    [
      'zypper',
      'manager zypper\n\n# | Name    | Type    | Repository | Comment\n--+---------+---------+------------+--------\n1 | kubelet | package | (any)      |\n2 | base    | pattern | (any)      |\n',
      ['kubelet'],
    ],
    ['none', 'manager none\n', undefined],
  ])('%s', (_name, stdout, held) => {
    expect(parseHolds(output(0, stdout))).toEqual(held);
  });
});

const bench = new Bench(scratch('holds'));

describe.each(['dnf', 'yum', 'zypper'] as const)('commands of %s', (manager) => {
  const dir = bench.dir(manager);
  const shell = bench.shells[0]!;
  const host = new ShellHost(rpmShell(dir, shell, manager, { db: [], repo: [] }), bench.dir('host'));
  const expected = {
    dnf: ['dnf -q -y versionlock add a', 'dnf -q -y versionlock delete a'],
    yum: ['yum -q -y versionlock add a', 'yum -q -y versionlock delete *:a-*'],
    zypper: ['zypper --quiet --non-interactive addlock a', 'zypper --quiet --non-interactive removelock a'],
  };

  test('hold and release', async () => {
    await host.run(step.apply(host, { names: ['a'] }, io) as Script);
    await host.run(step.revert!(host, { names: ['a'] }, { held: [] }) as Script);
    expect(rpmCommands(dir)).toEqual(expected[manager]);
    expect((await host.run(step.revert!(host, { names: ['a'] }, { held: ['a'] }) as Script)).code).toBe(0);
    expect(rpmCommands(dir)).toEqual([]);
  });

  test('a missing plugin is reported', async () => {
    const tools = join(dir, 'tools', manager);
    writeFileSync(tools, '#!/bin/sh\necho "No such command: versionlock" >&2\nexit 1\n');
    chmodSync(tools, 0o755);
    const failed = await host.run(step.apply(host, { names: ['a'] }, io) as Script);
    expect(failed.code).toBe(1);
    if (manager !== 'zypper') expect(failed.stderr).toContain('is the plugin versionlock');
  });
});

describeHosts('holds on a Debian', () => {
  let host: RigHost;
  let machine: LinkedMachine;
  useOneHost((one) => ({ host, machine } = one));

  test.each<[string, PackageHold, string, string]>([
    ['held', { names: ['bash', 'dash'] }, 'apt-mark hold dash', 'bash\ndash\n'],
    ['released', { names: ['bash', 'dash'], held: false }, 'apt-mark hold dash', ''],
  ])('%s, and back', async (_name, want, before, seen) => {
    await host.exec(`{ apt-mark unhold bash dash; ${before}; } >/dev/null`);
    const first = await check(machine, step, want);
    expect(first.verdict).toBe('needed');
    expect(await machine.run(step.apply(machine, want, io) as Script)).toMatchObject({ code: 0, stderr: '' });
    expect(await host.exec('apt-mark showhold')).toBe(seen);
    expect((await check(machine, step, want)).verdict).toBe('satisfied');
    const found = JSON.parse(JSON.stringify('seen' in first ? first.seen : null)) as { held: string[] };
    expect(await machine.run(step.revert!(machine, want, found) as Script)).toMatchObject({ code: 0 });
    expect(await host.exec('apt-mark showhold')).toBe('dash\n');
    expect(await check(machine, step, want)).toEqual(first);
  });
});
