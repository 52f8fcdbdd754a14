import { createHash } from 'node:crypto';
import type { Output } from '../../model/host.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

/** A package, in a version or in any. */
export interface PackageAim {
  readonly name: string;
  readonly version?: string | undefined;
}

/** What is to be installed, and what is not. */
export interface PackagesAim {
  readonly install: readonly PackageAim[];
  readonly remove: readonly string[];
}

/** What a machine says about packages. */
export interface PackagesSeen {
  readonly manager: 'apt' | 'dnf' | 'yum' | 'zypper' | 'none';
  /** The version of each that is installed, in full. One that was begun and not finished counts as missing. */
  readonly installed: Readonly<Record<string, string>>;
  /** Those that are there, however far, configuration alone not counted. */
  readonly present: readonly string[];
  /** How many transactions are noted so far. */
  readonly noted: number;
  /** They are expected: `expectPackages`. */
  readonly expected: boolean;
}

const PATIENCE_SECONDS = 600;

const MANAGER = rawScript(shellSource(new URL('./package-manager.sh', import.meta.url)));
const RECORD = rawScript(shellSource(new URL('./package-record.sh', import.meta.url)));
const POLICY = rawScript(shellSource(new URL('./package-policy.sh', import.meta.url)));
const APT = rawScript(shellSource(new URL('./package-apt.sh', import.meta.url)));
const RPM = rawScript(shellSource(new URL('./package-rpm.sh', import.meta.url)));
const UNDO = rawScript(shellSource(new URL('./package-undo.sh', import.meta.url)));

/** Whether a name can be a package's, in every family. */
export function isPackageName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9+._-]{0,127}$/.test(name);
}

/** Whether a text can be a version. */
export function isPackageVersion(version: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9+.:~^_-]{0,127}$/.test(version);
}

/** Whether an installed version is the one meant: the very same, or one that only adds an epoch or a revision. */
export function isVersion(full: string, meant: string): boolean {
  const bare = full.replace(/^\d+:/, '');
  return full === meant || bare === meant || bare.replace(/-[^-]*$/, '') === meant;
}

/** Where the transactions of these packages are noted: the same for every version of them. */
function recordOf(aim: PackagesAim): Script {
  const names = [...aim.install.map((one) => one.name), ...aim.remove].toSorted();
  const id = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 12);
  return sh`"$KX_STATE"/${`packages/${names[0] ?? 'none'}-${id}`}`;
}

/** A read-only script that tells about packages. */
export function lookAtPackages(aim: PackagesAim): Script {
  const names = [...aim.install.map((one) => one.name), ...aim.remove];
  return lines(MANAGER, sh`kxp_look ${recordOf(aim)} ${names}`);
}

/** What `lookAtPackages` printed. */
export function parsePackages(output: Output): PackagesSeen {
  const rows = output.stdout.split('\n').map((line) => line.split(' '));
  const packages = rows.filter(([key, , name]) => key === 'package' && name !== undefined && name !== 'is');
  const there = packages.filter(([, status]) => status !== 'not-installed' && status !== 'config-files');
  const done = packages.filter(([, status]) => status === 'installed' || (status ?? '').startsWith('triggers-'));
  const manager = rows.find(([key]) => key === 'manager')?.[1];
  return {
    manager: (manager ?? 'none') as PackagesSeen['manager'],
    installed: Object.fromEntries(done.map(([, , name, version]) => [name ?? '', version ?? ''])),
    present: [...new Set(there.map(([, , name]) => name ?? ''))],
    noted: Number(rows.find(([key]) => key === 'noted')?.[1] ?? 0),
    expected: rows.some(([key]) => key === 'expected'),
  };
}

/** Every function, those of one family of package managers only, and where things are. `root` is for tests: what stands for /. */
function prepared(aim: PackagesAim, root: string): Script {
  return lines(
    MANAGER,
    RECORD,
    sh`kxp_find
case $kxp in
none) kxp_fail 'there is neither apt nor dnf, yum or zypper on this machine: install the packages by hand' ;;
apt)`,
    POLICY,
    APT,
    sh`;;
*)`,
    RPM,
    sh`;;
esac
kxp_prepare ${recordOf(aim)} ${PATIENCE_SECONDS} ${root}`,
  );
}

/** Installs and removes packages, and notes exactly what came and went. */
export function changePackages(aim: PackagesAim, root = ''): Script {
  const words = [
    ...aim.install.map(({ name, version }) => (version === undefined ? `+${name}` : `+${name}=${version}`)),
    ...aim.remove.map((name) => `-${name}`),
  ];
  return lines(prepared(aim, root), sh`kxp_transact ${words}`);
}

/** Undoes every transaction that was noted after the first `since` ones, the last first. */
export function restorePackages(aim: PackagesAim, since: number, root = ''): Script {
  return lines(sh`[ -d ${recordOf(aim)} ] || exit 0`, prepared(aim, root), UNDO, sh`kxp_undo_since ${since} || exit 1`);
}

/** Notes that these packages are going to be changed by a later step. */
export function expectPackages(aim: PackagesAim): Script {
  return sh`kxp_record=${recordOf(aim)}
mkdir -p "$kxp_record" && : >"$kxp_record/expected" && { sync -f "$kxp_record" 2>/dev/null || sync; }`;
}

/** Undoes what has become of packages that were expected. */
export function restoreExpected(aim: PackagesAim, since: number): Script {
  const forget = sh`rm -f "$kxp_record/expected"`;
  return lines(
    // None of them ever came: no package manager is needed, and perhaps there is none.
    sh`kxp_record=${recordOf(aim)}
if [ ! -d "$kxp_record/1" ]; then
  ${forget}
  rmdir "$kxp_record" "$KX_STATE/packages" "$KX_STATE" 2>/dev/null
  exit 0
fi`,
    restorePackages(aim, since),
    forget,
  );
}
