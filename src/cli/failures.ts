import type { EventError, Lang } from '../index.ts';
import { printable, printableLines } from '../model/text/printable.ts';
import { wrapText } from '../model/text/width.ts';
import type { Io } from './io.ts';
import type { Paint } from './output/color.ts';
import { speaker } from './texts/index.ts';

/** A root cause and where it happened. */
export interface FailureOnHost {
  readonly node?: string;
  readonly host: string;
  readonly error: EventError;
}

/** How failures are written. */
export interface FailureStyle {
  readonly lang: Lang;
  readonly paint: Paint;
  readonly unicode: boolean;
  readonly width: number;
  /** Stacks of unexpected errors too. */
  readonly debug?: boolean;
}

/** How failures look among the lines for people. */
export function noteStyle({ lang, paintNote, unicode, noteWidth, debug }: Io): FailureStyle {
  return { lang, paint: paintNote, unicode, width: noteWidth, debug };
}

const CAUSES_SHOWN = 20;
const HOSTS_SHOWN = 12;
const LINES_SHOWN = 12;

/** What failed, where, why, what the host said last, and what to do: the same cause on many hosts once. */
export async function failureLines(failures: readonly FailureOnHost[], style: FailureStyle): Promise<string[]> {
  const { errorRemedy, errorTitle } = await import('../index.ts');
  const { lang, paint, unicode, width, debug } = style;
  const say = speaker(lang);
  const groups = [...Map.groupBy(failures, sameCause).values()];
  const rest = groups.length - CAUSES_SHOWN;
  const more = rest > 0 ? ['', paint('red', say('moreFailures', { n: rest }))] : [];
  const lines = groups.slice(0, CAUSES_SHOWN).flatMap((group, i) => {
    const [first, ...others] = group;
    if (first === undefined) return [];
    const { code, params, detail, stack } = first.error;
    const said = [
      ...printableLines(detail ?? '').slice(-LINES_SHOWN),
      ...(debug && stack !== undefined ? printableLines(stack) : []),
    ];
    return [
      ...(i === 0 ? [] : ['']),
      `${paint('boldRed', `${unicode ? '✗' : 'x'} ${first.host}`)}  ${paint('dim', code)} ${printable(errorTitle(code, params, lang))}`,
      ...said.map((line) => `    ${paint('dim', `${unicode ? '│' : '|'} ${line}`)}`),
      ...(others.length === 0 ? [] : [`  ${say('reportSameOn', { hosts: someHosts(others, say) })}`]),
      ...wrapText(errorRemedy(code, params, lang), width - 2).map((line) => `  ${line}`),
    ];
  });
  return [...lines, ...more];
}

function someHosts(failures: readonly FailureOnHost[], say: ReturnType<typeof speaker>): string {
  const names = failures
    .slice(0, HOSTS_SHOWN)
    .map((one) => one.host)
    .join(', ');
  const n = failures.length - HOSTS_SHOWN;
  return n > 0 ? say('andMore', { names, n }) : names;
}

// The same step with the same reason on another host is the same cause: only the host's name differs in it.
function sameCause({ host, error }: FailureOnHost): string {
  return `${error.code} ${JSON.stringify(error.params)}`.replaceAll(`@${host}`, '@').replaceAll(`"${host}"`, '""');
}
