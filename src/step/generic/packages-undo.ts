import { expectPackages, lookAtPackages, parsePackages, restoreExpected } from '../../host/os/package.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { aimOf, ownedBy, type Packages, shown } from './packages.ts';

/**
 * What is done last is undone first: packages that are installed beside a cluster that comes up would go while it still runs, and
 * programs of theirs may be in use. This step stands where they are to be undone. The step that installs them later has the very
 * same packages, finds that they belong to the cluster already, and leaves the undoing to this one.
 */
export const packagesUndoneHere = defineStep<Packages>()({
  kind: 'packagesUndoneHere',
  description:
    'Stands before steps that packages must outlive when all is undone. Changes nothing; undone, it undoes what a later step of the same packages has done.',
  title: (want) => `expect packages ${shown(want)}`.slice(0, 80),
  probe: (want) => lookAtPackages(aimOf(want)),
  judge: (output, want) => {
    const seen = parsePackages(output);
    const missing = aimOf(want).install.filter(({ name }) => seen.installed[name] === undefined);
    if (seen.expected || missing.length === 0) return satisfied();
    return needed({ since: seen.noted }, [{ what: `packages ${shown(want)}`, to: 'expected' }]);
  },
  apply: (_host, want) => expectPackages(aimOf(want)),
  revert: (_host, want, before) => restoreExpected(aimOf(want), before.since),
  owns: ownedBy,
  timeoutSeconds: 1800,
  example: { install: ['nfs-common'] },
});
