import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCatalog } from '../../artifacts/catalog/index.ts';
import { boxSystem } from '../box.ts';
import { boxPackages, installCommand, installScript } from './box-packages.ts';

/** A machine of which nothing is known but its release and what installs packages there. */
function system(release: string, manager: string) {
  const root = mkdtempSync(join(tmpdir(), 'kubexm-box-'));
  try {
    mkdirSync(join(root, 'etc'));
    mkdirSync(join(root, 'usr/bin'), { recursive: true });
    writeFileSync(join(root, 'etc/os-release'), release);
    for (const program of [manager, 'apt-get']) writeFileSync(join(root, 'usr/bin', program), '');
    return boxSystem(root, '/usr/bin');
  } finally {
    rmSync(root, { recursive: true });
  }
}

const DEBIAN = system('ID=debian\nVERSION_ID="12"\n', 'apt-get');
const ROCKY = system('ID=rocky\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n', 'dnf');
const RHEL = system('ID=rhel\nVERSION_ID="9.4"\n', 'dnf');
const FEDORA = system('ID=fedora\nVERSION_ID=41\n', 'dnf');
const LEAP = system('ID=opensuse-leap\nID_LIKE="suse opensuse"\nVERSION_ID="15.6"\n', 'zypper');
const NEEDS = ['gcc', 'libc6-dev', 'libseccomp-dev', 'pkg-config'];

test.each([
  [
    'debian',
    DEBIAN,
    'apt-get -q update && apt-get -q install --yes --no-install-recommends gcc libc6-dev libseccomp-dev pkg-config',
  ],
  [
    'rocky',
    ROCKY,
    'dnf install -y --enablerepo=crb gcc glibc-devel glibc-static libseccomp-devel libseccomp-static pkgconf-pkg-config',
  ],
  [
    'rhel',
    RHEL,
    'dnf install -y --enablerepo=codeready-builder-for-rhel-9-$(uname -m)-rpms gcc glibc-devel glibc-static libseccomp-devel libseccomp-static pkgconf-pkg-config',
  ],
  [
    'fedora',
    FEDORA,
    'dnf install -y gcc glibc-devel glibc-static libseccomp-devel libseccomp-static pkgconf-pkg-config',
  ],
])('one command on %s', (_, box, command) => {
  const { packages, without } = boxPackages(box, NEEDS);
  expect(without).toEqual([]);
  expect(installCommand(box, packages, true)).toBe(command);
  expect(installCommand(box, packages, false)).toContain(`sudo ${command.split(' && ').at(-1)}`);
  expect(installScript(box, packages)).toContain(command);
});

test('what a family does not have is reported, not guessed', () => {
  expect(boxPackages(LEAP, NEEDS)).toEqual({
    packages: ['gcc', 'glibc-devel', 'glibc-devel-static', 'pkg-config'],
    without: ['libseccomp-dev'],
  });
  expect(installCommand(LEAP, ['gcc'], true)).toBe('zypper --non-interactive install gcc');
  expect(boxPackages(ROCKY, ['apt', 'go']).without).toEqual(['apt', 'go']);
  expect(installScript({ ...DEBIAN, packageManager: 'none' }, ['gcc'])).toBeUndefined();
});

test('a system whose packages nobody knows gets no command of another one', () => {
  for (const packageManager of ['none', 'apk', 'pacman'] as const) {
    const box = { ...DEBIAN, packageManager };
    expect(boxPackages(box, NEEDS)).toEqual({ packages: [], without: NEEDS });
    expect(() => installCommand(box, ['gcc'], true)).toThrow(TypeError);
  }
});

test('libraries of another processor are Debian’s alone', () => {
  const cross = ['gcc-aarch64-linux-gnu', 'libseccomp-dev:arm64'];
  expect(installCommand(DEBIAN, boxPackages(DEBIAN, cross).packages, true)).toBe(
    'dpkg --add-architecture arm64 && apt-get -q update && apt-get -q install --yes --no-install-recommends gcc-aarch64-linux-gnu libseccomp-dev:arm64',
  );
  expect(boxPackages(FEDORA, cross).without).toEqual(cross);
});

test('every need of the catalog’s recipes has its packages here', async () => {
  const { components } = await readCatalog();
  const needs = [...components.values()].flatMap(({ builds }) => builds.flatMap((build) => build.needs));
  expect(needs.length).toBeGreaterThan(4);
  // Debian takes a name that nobody knows as its own: only the others tell.
  expect(boxPackages(FEDORA, needs).without).toEqual([]);
});
