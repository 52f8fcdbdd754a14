import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Bench, scratch } from '../../../test/contract/bench.ts';
import { ShellHost } from '../../../test/contract/shell-host.ts';
import { some, thorough } from '../../../test/rig/thorough.ts';
import { type RpmWorld, rpmCommands, rpmInstalled, rpmShell } from '../../../test/support/rpm-stand-in.ts';
import { output } from '../../model/host.ts';
import {
  changePackages,
  isPackageName,
  isPackageVersion,
  isVersion,
  lookAtPackages,
  type PackagesAim,
  parsePackages,
  restorePackages,
} from './package.ts';

test.each([
  ['1.33.4-1.1', '1.33.4-1.1', true],
  ['1.33.4-1.1', '1.33.4', true],
  ['1:1.33.4-1.1', '1.33.4', true],
  ['0:1.33.4-150500.1.1', '1.33.4-150500.1.1', true],
  ['2:4.35', '4.35', true],
  ['1.33.40-1.1', '1.33.4', false],
  ['1.33.4-1.1', '1.33', false],
  ['4.3-2+deb12u1', '4.3-2', false],
])('version %s is %s: %s', (full, meant, same) => {
  expect(isVersion(full, meant)).toBe(same);
});

test('names and versions that cannot be', () => {
  expect(['socat', 'libstdc++6', 'NetworkManager', 'python3.11-minimal'].map(isPackageName)).not.toContain(false);
  expect(['', '-y', 'a b', 'a=1', 'a*', '../x', 'a;b'].map(isPackageName)).not.toContain(true);
  expect(['1.0', '1:2.3~rc1-4+deb12u1', '1.33.4-150500.1.1'].map(isPackageVersion)).not.toContain(false);
  expect(['', '-1', '1 2', '$(id)'].map(isPackageVersion)).not.toContain(true);
});

describe('what a machine says', () => {
  test.each([
    [
      'Debian',
      'manager apt\nnoted 2\npackage installed socat 1.7.4.4-2\npackage config-files ntp 1:4.2\npackage half-configured chrony 4.3-2\npackage triggers-pending man-db 2.11\npackage not-installed ebtables \n',
      {
        manager: 'apt',
        installed: { socat: '1.7.4.4-2', 'man-db': '2.11' },
        present: ['socat', 'chrony', 'man-db'],
        noted: 2,
        expected: false,
      },
    ],
    [
      'Red Hat',
      'manager dnf\nnoted 0\npackage installed socat 0:1.7.4.1-5.el9\npackage ntp is not installed\npackage is is not installed\n',
      { manager: 'dnf', installed: { socat: '0:1.7.4.1-5.el9' }, present: ['socat'], noted: 0, expected: false },
    ],
    ['none', 'manager none\nnoted 0\n', { manager: 'none', installed: {}, present: [], noted: 0, expected: false }],
    [
      'expected',
      'manager apt\nnoted 0\nexpected\n',
      { manager: 'apt', installed: {}, present: [], noted: 0, expected: true },
    ],
    ['nothing', '', { manager: 'none', installed: {}, present: [], noted: 0, expected: false }],
  ])('%s', (_name, stdout, seen) => {
    expect(parsePackages(output(0, stdout))).toEqual(seen);
  });
});

const bench = new Bench(scratch('packages'));
const EL = 'el9';
const world: RpmWorld = {
  db: [`bash.x86_64=0:5.1-6.${EL}`, `timesync.x86_64=0:2.0-1.${EL}`, `tool.x86_64=0:1.0-1.${EL}`],
  repo: [
    `chrony.x86_64=0:4.3-1.${EL}`,
    `libseccomp.x86_64=0:2.5-2.${EL}`,
    `timesync.x86_64=0:2.0-1.${EL}`,
    `tool.x86_64=0:1.0-1.${EL}`,
    `tool.x86_64=0:2.0-1.${EL}`,
  ],
  brings: ['chrony libseccomp'],
  replaces: ['chrony timesync'],
  needs: ['chrony libseccomp', 'other libseccomp'],
};
const DNF = 'dnf -y -q --setopt=install_weak_deps=False --setopt=clean_requirements_on_remove=False';
const YUM = 'yum -y -q --setopt=clean_requirements_on_remove=0';
const ZYPPER = 'zypper --non-interactive --quiet';
const chrony: PackagesAim = { install: [{ name: 'chrony' }], remove: [] };
const newer: PackagesAim = { install: [{ name: 'tool', version: '2.0' }], remove: [] };
const without: PackagesAim = { install: [], remove: ['tool', 'absent'] };

interface Case {
  readonly manager: 'dnf' | 'yum' | 'zypper';
  readonly name: string;
  readonly aim: PackagesAim;
  readonly more?: Partial<RpmWorld>;
  readonly does: readonly string[];
  readonly undoes: readonly string[];
}

const DNF_INSTALL = `${DNF} install --allowerasing --setopt=disable_excludes=*`;
const YUM_INSTALL = `${YUM} install --disableexcludes=all`;
const ZYPPER_INSTALL = `${ZYPPER} install --no-recommends --force-resolution --oldpackage`;
/** What is brought back puts nothing else away. */
const DNF_BRING = `${DNF} install --setopt=disable_excludes=*`;
const ZYPPER_BRING = `${ZYPPER} install --no-recommends --oldpackage`;
const manual = ['bash.x86_64', 'timesync.x86_64', 'tool.x86_64'];

const cases: readonly Case[] = [
  {
    manager: 'dnf',
    name: 'what replaces another',
    aim: chrony,
    more: { manual },
    does: [`${DNF_INSTALL} chrony`],
    undoes: [`${DNF} remove chrony.x86_64 libseccomp.x86_64`, `${DNF_BRING} timesync-0:2.0-1.${EL}.x86_64`],
  },
  {
    manager: 'yum',
    name: 'what replaces another',
    aim: chrony,
    does: [`${YUM_INSTALL} chrony`],
    undoes: [`${YUM} remove chrony.x86_64 libseccomp.x86_64`, `${YUM_INSTALL} 0:timesync-2.0-1.${EL}.x86_64`],
  },
  {
    manager: 'zypper',
    name: 'what replaces another',
    aim: chrony,
    does: [`${ZYPPER_INSTALL} chrony`],
    undoes: [
      `${ZYPPER} remove --no-clean-deps chrony.x86_64 libseccomp.x86_64`,
      `${ZYPPER_BRING} timesync.x86_64=2.0-1.${EL}`,
    ],
  },
  {
    manager: 'dnf',
    name: 'another version',
    aim: newer,
    does: [`${DNF_INSTALL} tool-2.0`],
    undoes: [`${DNF_BRING} tool-0:1.0-1.${EL}.x86_64`],
  },
  {
    manager: 'yum',
    name: 'another version',
    aim: newer,
    does: [`${YUM_INSTALL} tool-2.0`],
    undoes: [`${YUM_INSTALL} 0:tool-1.0-1.${EL}.x86_64`],
  },
  {
    manager: 'zypper',
    name: 'another version',
    aim: newer,
    does: [`${ZYPPER_INSTALL} tool=2.0`],
    undoes: [`${ZYPPER_BRING} tool.x86_64=1.0-1.${EL}`],
  },
  {
    manager: 'dnf',
    name: 'what is to go',
    aim: without,
    more: { manual: ['bash.x86_64'] },
    does: [`${DNF} remove tool`],
    undoes: [`${DNF_BRING} tool-0:1.0-1.${EL}.x86_64`],
  },
  {
    manager: 'zypper',
    name: 'what is to go',
    aim: without,
    does: [`${ZYPPER} remove --no-clean-deps tool`],
    undoes: [`${ZYPPER_BRING} tool.x86_64=1.0-1.${EL}`],
  },
  {
    manager: 'dnf',
    name: 'old lists',
    aim: chrony,
    more: { stale: true },
    does: [`${DNF_INSTALL} chrony`, `${DNF} clean expire-cache`, `${DNF_INSTALL} chrony`],
    undoes: [`${DNF} remove chrony.x86_64 libseccomp.x86_64`, `${DNF_BRING} timesync-0:2.0-1.${EL}.x86_64`],
  },
  {
    manager: 'zypper',
    name: 'old lists',
    aim: chrony,
    more: { stale: true },
    does: [`${ZYPPER_INSTALL} chrony`, `${ZYPPER} refresh`, `${ZYPPER_INSTALL} chrony`],
    undoes: [
      `${ZYPPER} remove --no-clean-deps chrony.x86_64 libseccomp.x86_64`,
      `${ZYPPER_BRING} timesync.x86_64=2.0-1.${EL}`,
    ],
  },
];

/** Each manager, in one case or another. */
const tried = (['dnf', 'yum', 'zypper'] as const).flatMap((manager) =>
  some(
    cases.filter((one) => one.manager === manager),
    1,
  ),
);
const shells = bench.shells.filter((shell) => shell.path === undefined).slice(0, thorough ? 2 : 1);

describe.each(shells)('rpm and its managers, in $name', (shell) => {
  const start = (manager: Case['manager'], more: Partial<RpmWorld> = {}) => {
    const dir = bench.dir('world');
    const host = new ShellHost(rpmShell(dir, shell, manager, { ...world, ...more }), bench.dir('host'));
    mkdirSync(join(dir, 'root/etc'), { recursive: true });
    return { dir, host, root: join(dir, 'root') };
  };

  test.each(tried)('$manager: $name', async ({ manager, aim, more, does, undoes }) => {
    const { dir, host, root } = start(manager, more);
    const before = rpmInstalled(dir);
    const seen = parsePackages(await host.run(lookAtPackages(aim)));
    expect(seen).toMatchObject({ manager, noted: 0 });
    const applied = await host.run(changePackages(aim, root));
    expect(applied).toMatchObject({ code: 0 });
    expect(rpmCommands(dir)).toEqual(does);
    const after = parsePackages(await host.run(lookAtPackages(aim)));
    expect(after.noted).toBe(1);
    for (const { name, version } of aim.install)
      expect(isVersion(after.installed[name] ?? '', version ?? after.installed[name]!)).toBe(true);
    for (const name of aim.remove) expect(after.present).not.toContain(name);
    expect(await host.run(changePackages(aim, root)), 'again').toMatchObject({ code: 0 });
    expect(parsePackages(await host.run(lookAtPackages(aim))).noted).toBe(1);
    rpmCommands(dir);
    const undone = await host.run(restorePackages(aim, 0, root));
    expect(undone).toMatchObject({ code: 0, stderr: '' });
    expect(rpmCommands(dir).filter((line) => !line.includes(' mark '))).toEqual(undoes);
    expect(rpmInstalled(dir)).toEqual(before);
    expect(parsePackages(await host.run(lookAtPackages(aim)))).toEqual(seen);
  });

  test('what others need by now stays', async () => {
    const { dir, host, root } = start('dnf');
    await host.run(changePackages(chrony, root));
    await host.run({ script: `cd ${dir} && echo other.x86_64=0:1-1 >>db` });
    rpmCommands(dir);
    const undone = await host.run(restorePackages(chrony, 0, root));
    expect(undone).toMatchObject({
      code: 0,
      reports: [{ text: 'libseccomp.x86_64 stays: other-1-1.x86_64 needs it' }],
    });
    expect(rpmCommands(dir)[0]).toBe(`${DNF} remove chrony.x86_64`);
  });

  test('marks are put back', async () => {
    const { dir, host, root } = start('dnf', { manual: ['bash.x86_64'] });
    await host.run(changePackages(without, root));
    await host.run({ script: `cd ${dir} && echo tool.x86_64 >>manual` });
    await host.run(restorePackages(without, 0, root));
    expect(rpmCommands(dir).at(-1)).toBe('dnf -q -y mark remove tool.x86_64');
  });

  test('an unavailable package fails, and nothing is noted', async () => {
    const { host, root } = start('zypper');
    const aim: PackagesAim = { install: [{ name: 'nowhere' }], remove: [] };
    expect(await host.run(changePackages(aim, root))).toMatchObject({ code: 104 });
    expect(parsePackages(await host.run(lookAtPackages(aim))).noted).toBe(0);
  });

  test('a machine without a package manager says so', async () => {
    const bare = new ShellHost(bench.only('bare', ['mkdir', 'rmdir', 'rm']), bench.dir('host'));
    const answer = await bare.run(lookAtPackages(chrony));
    expect(parsePackages(answer).manager).toBe('none');
    const failed = await bare.run(changePackages(chrony, bench.dir('root')));
    expect(failed.stderr).toContain('there is neither apt nor dnf, yum or zypper on this machine');
  });

  test('undoing what was never done changes nothing', async () => {
    const { dir, host, root } = start('dnf');
    expect(await host.run(restorePackages(chrony, 0, root))).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(rpmCommands(dir)).toEqual([]);
    expect(existsSync(join(root, 'usr'))).toBe(false);
  });
});
