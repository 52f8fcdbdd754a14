import { lookAtNoted, noteUnit, parseNoted, restartNoted } from '../../host/os/service.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { unitName } from './service.ts';

/** A service whose files the steps that follow are going to change. */
export interface RestartWhenUndone {
  /** Without a suffix: a service. */
  readonly unit: string;
}

/**
 * What is done last is undone first: a service is undone before its files are put back. This step stands before the steps that
 * change them, so it is undone after them, and a service that ran before gets its old files then.
 */
export const restartWhenUndone = defineStep<RestartWhenUndone>()({
  kind: 'restartWhenUndone',
  description:
    'Comes before the steps that change the files of an existing service. It is undone after them, and then restarts the service with its old files.',
  title: (want) => `note how service ${want.unit} is`,
  probe: (want) => lookAtNoted(unitName(want.unit)),
  judge: (output, want) => {
    const { noted, active } = parseNoted(output);
    return noted ? satisfied() : needed({ active }, [{ what: unitName(want.unit), to: 'noted' }]);
  },
  apply: (_host, want) => noteUnit(unitName(want.unit)),
  revert: (_host, want, before) => restartNoted(unitName(want.unit), before.active),
  owns: (want) => [`service-files:${unitName(want.unit)}`],
  timeoutSeconds: 120,
  example: { unit: 'containerd' },
});
