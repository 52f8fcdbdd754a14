import { contentOf, lookAtTexts, type TextState, textOf } from '../../host/os/text-state.ts';
import { isZone, LOCALTIME, linkedZone, needZone, sameZone, ZONE_NAME, zoneLink } from '../../host/os/timezone.ts';
import { lines, sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid, tempBeside } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';
import { putBackText, writeText } from './lib/small-text.ts';

/** The machine's time zone. */
export interface Timezone {
  /** `Europe/Berlin`, `Asia/Shanghai`, `UTC` … */
  readonly zone: string;
}

interface Before {
  readonly localtime: TextState;
  readonly name: TextState;
}

function zoneOf(want: Timezone): string {
  if (!isZone(want.zone)) throw invalid(`${JSON.stringify(want.zone)} is no time zone`);
  return want.zone;
}

/** What the machine has now; without a link or file it is UTC. */
function zoneNow(localtime: TextState): string {
  if (localtime.type === 'absent') return 'UTC';
  if (localtime.type === 'link') return linkedZone(localtime.target) ?? `link to ${localtime.target}`;
  return 'a file of its own';
}

/** Sets the time zone: the link /etc/localtime, and /etc/timezone where the system has one. */
export const timezone = defineStep<Timezone>()({
  kind: 'timezone',
  description: 'The time zone: the link /etc/localtime, and its name in /etc/timezone where the system keeps that.',
  title: (want) => `time zone ${want.zone}`,
  probe: () => lookAtTexts({ localtime: LOCALTIME, name: ZONE_NAME }),
  judge: (output, want) => {
    const zone = zoneOf(want);
    const before: Before = { localtime: textOf(output.stdout, 'localtime'), name: textOf(output.stdout, 'name') };
    const changes: Change[] = [];
    const now = zoneNow(before.localtime);
    if (!sameZone(now, zone)) changes.push({ what: 'time zone', from: now, to: zone });
    const name = contentOf(before.name)?.trim();
    if (name !== undefined && !sameZone(name, zone)) changes.push({ what: ZONE_NAME, from: name, to: zone });
    return changes.length === 0 ? satisfied() : needed(before, changes);
  },
  apply: (_host, want) => {
    const zone = zoneOf(want);
    return lines(
      needZone(zone),
      withFunctions(
        'write',
        sh`p=${LOCALTIME}; t=${tempBeside(LOCALTIME)}
kxg_new "$t"; t=$kxg_file; rm -f -- "$t"
ln -s -- ${zoneLink(zone)} "$t" || kxg_fail "cannot make the link $p"
kxg_place "$t" "$p"`,
      ),
      sh`if [ -f ${ZONE_NAME} ]; then`,
      writeText(ZONE_NAME, `${zone}\n`),
      sh`fi`,
    );
  },
  saves: () => [LOCALTIME, ZONE_NAME],
  owns: () => ['timezone:zone'],
  revert: (_host, _want, before) =>
    lines(
      putBackText(LOCALTIME, { file: before.localtime, made: [] }),
      putBackText(ZONE_NAME, { file: before.name, made: [] }),
    ),
  example: { zone: 'UTC' },
});
