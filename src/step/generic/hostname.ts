import {
  HOSTNAME_FILE,
  isHostname,
  lookAtHostname,
  seenHostname,
  setHostname,
  staticHostname,
} from '../../host/os/hostname.ts';
import { contentOf, lookAtTexts, type TextState, textOf } from '../../host/os/text-state.ts';
import { lines } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';
import { putBackText, writeText } from './lib/small-text.ts';

/** The machine's own name. Lines about it in /etc/hosts are another step's. */
export interface Hostname {
  readonly name: string;
}

interface Before {
  readonly now: string;
  readonly file: TextState;
}

function nameOf(want: Hostname): string {
  if (!isHostname(want.name)) throw invalid(`${JSON.stringify(want.name)} is no name for a machine`);
  return want.name;
}

/** Names the machine, now and for every start. */
export const hostname = defineStep<Hostname>()({
  kind: 'hostname',
  description: 'The name of the machine, now and in /etc/hostname.',
  title: (want) => `hostname ${want.name}`,
  probe: () => lines(lookAtHostname(), lookAtTexts({ file: HOSTNAME_FILE })),
  judge: (output, want) => {
    const name = nameOf(want);
    const now = seenHostname(output.stdout);
    const file = textOf(output.stdout, 'file');
    const kept = staticHostname(contentOf(file));
    const changes: Change[] = [];
    if (now !== name) changes.push({ what: 'hostname', from: now, to: name });
    if (kept !== name) changes.push({ what: HOSTNAME_FILE, ...(kept !== undefined && { from: kept }), to: name });
    return changes.length === 0 ? satisfied() : needed<Before>({ now, file }, changes);
  },
  apply: (_host, want) => lines(writeText(HOSTNAME_FILE, `${nameOf(want)}\n`), setHostname(nameOf(want))),
  saves: () => [HOSTNAME_FILE],
  owns: () => ['hostname:name'],
  revert: (_host, _want, before) =>
    lines(
      putBackText(HOSTNAME_FILE, { file: before.file, made: [] }),
      ...(before.now === '' ? [] : [setHostname(before.now)]),
    ),
  example: { name: 'node1' },
});
