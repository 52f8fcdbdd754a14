import { isPackageName } from '../../host/os/package.ts';
import { changeHolds, lookAtHolds, parseHolds } from '../../host/os/package-hold.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';

/** Packages that no upgrade of the system may touch. */
export interface PackageHold {
  readonly names: readonly string[];
  /** Default: yes. */
  readonly held?: boolean;
}

function namesOf(want: PackageHold): readonly string[] {
  const bad = want.names.find((name) => !isPackageName(name));
  if (bad !== undefined) throw invalid(`${JSON.stringify(bad)} is no name of a package`);
  return want.names;
}

/** Holds packages at the version they have, or lets them go. */
export const packageHold = defineStep<PackageHold>()({
  kind: 'packageHold',
  description: 'Packages that upgrades of the system leave alone: apt holds, dnf and yum version locks, zypper locks.',
  title: (want) =>
    `${want.held === false ? 'release' : 'hold'} ${Array.isArray(want.names) ? want.names.join(' ') : 'packages'}`.slice(
      0,
      80,
    ),
  probe: (want) => {
    namesOf(want);
    return lookAtHolds();
  },
  judge: (output, want) => {
    const held = parseHolds(output);
    const wanted = want.held ?? true;
    const before = { held: namesOf(want).filter((name) => held?.includes(name) === true) };
    const differing = want.names.filter((name) => before.held.includes(name) !== wanted);
    if (differing.length === 0) return satisfied();
    const words = wanted ? { from: 'free', to: 'held' } : { from: 'held', to: 'free' };
    return needed(
      before,
      differing.map((name) => ({ what: `package ${name}`, ...words })),
    );
  },
  apply: (_host, want) => (want.held === false ? changeHolds([], namesOf(want)) : changeHolds(namesOf(want), [])),
  revert: (_host, want, before) =>
    want.held === false
      ? changeHolds(before.held, [])
      : changeHolds(
          [],
          namesOf(want).filter((name) => !before.held.includes(name)),
        ),
  owns: (want) => want.names.map((name) => `hold:${name}`),
  timeoutSeconds: 120,
  example: { names: ['kubelet', 'kubeadm', 'kubectl'] },
});
