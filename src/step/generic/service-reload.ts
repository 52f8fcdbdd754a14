import { lookAtStaleUnits, parseStaleUnits, rereadUnits } from '../../host/os/service.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { unitName } from './service.ts';

/** Unit files that systemd has to know. A service step does this for its own unit. */
export interface DaemonReload {
  /** Default: all. */
  readonly units?: readonly string[];
}

/** Lets systemd read its unit files again, if it has not read what is in them now. */
export const daemonReload = defineStep<DaemonReload>()({
  kind: 'daemonReload',
  description: 'What is in unit files now has been read by systemd. A service step sees to its own unit by itself.',
  title: (want) =>
    Array.isArray(want.units) ? `read the units ${want.units.join(' ')} again` : 'read unit files again',
  probe: (want) => lookAtStaleUnits((want.units ?? []).map(unitName)),
  judge: (output) => {
    const stale = parseStaleUnits(output);
    if (stale?.length === 0) return satisfied();
    if (stale === undefined)
      return needed({}, [{ what: 'unit files', from: 'no systemd on this machine', to: 'read' }]);
    return needed(
      {},
      stale.map((unit) => ({ what: unit, from: 'changed on disk', to: 'read by systemd' })),
    );
  },
  apply: () => rereadUnits(),
  // What was put back on disk is read again where it is; files that are put back later are read with the next change.
  revert: () => rereadUnits(),
  owns: () => [],
  example: { units: ['kubelet'] },
});
