import { errorTitle, guessText, type Lang } from '../../index.ts';
import { printable } from '../../model/text/printable.ts';
import { textWidth } from '../../model/text/width.ts';
import { painter, type Style } from '../output/color.ts';
import { elapsedText } from '../output/duration.ts';
import { paintLine, type Span, span } from '../output/line.ts';
import { countText, speaker } from '../texts/index.ts';
import type { Drawing, Row } from './drawing.ts';
import type { Interruption } from './run-view.ts';
import { signsFor } from './signs.ts';
import type { FailureState, ViewState } from './state.ts';
import { taskLines } from './tasks.ts';

/** How a frame is drawn. */
export interface RenderOptions {
  readonly width: number;
  readonly height: number;
  readonly now: number;
  readonly color: boolean;
  readonly unicode: boolean;
  readonly lang: Lang;
  /** Ctrl-C was pressed: once, or more often. */
  readonly interrupted?: Interruption;
}

/** The frame for a state: never more lines than `height`, never more columns than `width`. */
export function render(state: ViewState, options: RenderOptions): string[] {
  const { width, height, now, lang } = options;
  const drawing: Drawing = { say: speaker(lang), signs: signsFor(options.unicode), now, lang, width };
  const head = [header(state, drawing), bar(state, drawing), ...buildRows(state, drawing)];
  const foot = [...failures(state.failures, Math.max(1, Math.floor(height / 4)), drawing), ...notice(options, drawing)];
  const room = height - head.length - foot.length - (foot.length > 0 ? 2 : 1);
  const body = room > 0 ? taskLines(state, room, drawing) : [];
  const gap: readonly Row[] = [{ left: [] }];
  const rows = [...head, ...(body.length > 0 ? gap : []), ...body, ...(foot.length > 0 ? gap : []), ...foot];
  const paint = painter(options.color);
  const lines = rows.slice(0, Math.max(0, height)).map((row) => paintLine(row.left, width, paint, row.right));
  return options.unicode ? lines : lines.map((line) => line.replaceAll('…', '.'));
}

function header(state: ViewState, { say, now, signs }: Drawing): Row {
  const mode = state.dryRun ? say('dryRun') : state.resumed ? say('resumed') : '';
  const left: Span[] = [span(state.pipeline, 'bold')];
  if (state.cluster !== undefined) left.push(span(' '), span(state.cluster, 'cyan'));
  if (mode !== '') left.push(span(` ${signs.dot} ${mode}`, 'yellow'));
  if (state.finalizing) left.push(span(` ${signs.dot} ${say('finalizing')}`, 'dim'));
  const elapsed = elapsedText(now - state.since, say);
  const estimate = state.estimateSeconds >= 5 && !state.dryRun ? elapsedText(state.estimateSeconds * 1000, say) : '';
  const right = [span(elapsed), span(estimate === '' ? '' : ` ${say('ofAbout', { time: estimate })}`, 'dim')];
  return { left, right };
}

function bar(state: ViewState, { say, signs, width }: Drawing): Row {
  if (state.cluster === undefined) return { left: [span(say('connecting'), 'dim')] };
  const share = state.ended ? 1 : state.nodes === 0 ? 0 : Math.min(1, state.done / state.nodes);
  const amounts = [
    `${Math.floor(share * 100)} %`,
    say('doneOf', { done: state.done, steps: countText(say, 'step', Math.max(state.nodes, state.done)) }),
    countText(say, 'host', state.hosts),
  ];
  if (state.lostHosts > 0) amounts.push(say('lost', { n: state.lostHosts }));
  const text = amounts.join(` ${signs.dot} `);
  return { left: barSpans(share, text, state.failures.length > 0 ? 'yellow' : 'green', { signs, width }) };
}

/** One bar over all builds from source, however many there are. */
function buildRows({ builds, ended }: ViewState, { say, signs, width, now, lang }: Drawing): readonly Row[] {
  if (builds === undefined || ended !== undefined || builds.built >= builds.programs) return [];
  const left = Math.max(0, builds.leftSeconds - Math.max(0, now - builds.at) / 1000);
  const text = [
    `${Math.floor(builds.share * 100)} %`,
    say('buildsOf', { built: builds.built, programs: countText(say, 'program', builds.programs) }),
    say('aboutLeft', { time: guessText(left, lang) }),
  ].join(` ${signs.dot} `);
  return [{ left: barSpans(builds.share, text, 'cyan', { signs, width }) }];
}

function barSpans(
  share: number,
  text: string,
  color: Style,
  { signs, width }: Pick<Drawing, 'signs' | 'width'>,
): Span[] {
  const columns = Math.max(0, Math.min(40, width - textWidth(text) - 6));
  const full = Math.round(share * columns);
  return [
    span(signs.bar.full.repeat(full), color),
    span(signs.bar.empty.repeat(columns - full), 'dim'),
    span(columns > 0 ? `  ${text}` : text),
  ];
}

/** The newest failures stay on the screen; the end report has them all. */
function failures(all: readonly FailureState[], most: number, { say, signs, lang }: Drawing): Row[] {
  if (all.length === 0) return [];
  const shown = all.length <= most ? all : all.slice(-Math.max(1, most - 1));
  const rows = shown.map((one): Row => {
    const title = printable(errorTitle(one.error.code, one.error.params, lang));
    return { left: [span(`${signs.failed} ${one.host}`, 'boldRed'), span(`  ${one.error.code} `, 'dim'), span(title)] };
  });
  const hidden = all.length - shown.length;
  return hidden === 0 ? rows : [{ left: [span(`  ${say('moreFailures', { n: hidden })}`, 'red')] }, ...rows];
}

function notice({ interrupted }: RenderOptions, { say }: Drawing): Row[] {
  if (interrupted === undefined) return [];
  return [{ left: [span(say(interrupted), 'yellow')] }];
}
