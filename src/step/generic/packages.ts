import {
  changePackages,
  isPackageName,
  isPackageVersion,
  isVersion,
  lookAtPackages,
  type PackagesAim,
  parsePackages,
  restorePackages,
} from '../../host/os/package.ts';
import type { Effect } from '../../model/effect.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';

/** A package in a version: all of it, or without epoch and revision. */
export interface PackageVersion {
  readonly name: string;
  readonly version?: string;
}

/** Packages of the machine's own package manager, under their names there. */
export interface Packages {
  /** A name alone: any version will do, and one that is there stays. */
  readonly install?: readonly (string | PackageVersion)[];
  readonly remove?: readonly string[];
  /** What the packages leave behind when they are removed; `reset` removes what was not there before. */
  readonly effects?: readonly Effect[];
  /** Default 1800. */
  readonly timeoutSeconds?: number;
}

const DEFAULT_SECONDS = 1800;

/** The packages as they are looked at and changed. */
export function aimOf(want: Packages): PackagesAim {
  const install = (want.install ?? []).map((one) => (typeof one === 'string' ? { name: one } : one));
  const remove = want.remove ?? [];
  const names = [...install.map((one) => one.name), ...remove];
  const bad = names.find((name) => !isPackageName(name));
  if (bad !== undefined) throw invalid(`${JSON.stringify(bad)} is no name of a package`);
  const odd = install.find(({ version }) => version !== undefined && !isPackageVersion(version));
  if (odd !== undefined) throw invalid(`${JSON.stringify(odd.version)} is no version of a package`);
  if (names.length === 0) throw invalid('no packages are named');
  if (new Set(names).size !== names.length) throw invalid(`a package is named twice: ${names.join(' ')}`);
  return { install, remove };
}

/** Some of them, for a title. */
export function shown(want: Packages): string {
  const list = (words: unknown, sign: string): readonly string[] =>
    Array.isArray(words) ? words.map((one: unknown) => `${sign}${nameOf(one)}`) : [];
  const words = [...list(want.install, ''), ...list(want.remove, '-')];
  return words.length > 4 ? `${words.slice(0, 4).join(' ')} and ${words.length - 4} more` : words.join(' ');
}

function nameOf(one: unknown): string {
  return typeof one === 'object' && one !== null && 'name' in one ? String(one.name) : String(one);
}

/** What belongs to the cluster with these packages. */
export function ownedBy(want: Packages): readonly string[] {
  const { install, remove } = aimOf(want);
  return [...install.map((one) => one.name), ...remove].map((name) => `package:${name}`);
}

/** Installs and removes packages in one transaction. Nothing that comes is started. */
export const packages = defineStep<Packages>()({
  kind: 'packages',
  description:
    'Packages installed (in a version or any) and removed, through apt, dnf, yum or zypper; nothing starts by itself. Undone exactly: what came goes, what it replaced comes back.',
  title: (want) => `packages ${shown(want)}`.slice(0, 80),
  probe: (want) => lookAtPackages(aimOf(want)),
  judge: (output, want) => {
    const seen = parsePackages(output);
    const aim = aimOf(want);
    const diff: Change[] = [];
    for (const { name, version } of aim.install) {
      const found = seen.installed[name];
      if (found !== undefined && (version === undefined || isVersion(found, version))) continue;
      const half = found === undefined && seen.present.includes(name) ? { from: 'half installed' } : {};
      diff.push({
        what: `package ${name}`,
        ...(found === undefined ? half : { from: found }),
        to: version ?? 'installed',
      });
    }
    for (const name of aim.remove)
      if (seen.present.includes(name))
        diff.push({ what: `package ${name}`, from: seen.installed[name] ?? 'half installed' });
    const versions = Object.fromEntries(aim.install.map(({ name }) => [name, seen.installed[name] ?? '']));
    return diff.length === 0 ? satisfied(versions) : needed({ since: seen.noted }, diff);
  },
  apply: (_host, want) => changePackages(aimOf(want)),
  revert: (_host, want, before) => restorePackages(aimOf(want), before.since),
  owns: ownedBy,
  effects: (want) => want.effects ?? [],
  job: true,
  timeoutSeconds: (want) => (typeof want.timeoutSeconds === 'number' ? want.timeoutSeconds : DEFAULT_SECONDS),
  estimateSeconds: 15,
  example: { install: ['socat', { name: 'conntrack', version: '1.4.7' }], remove: ['ntp'] },
});
