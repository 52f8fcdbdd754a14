import { buildLines, type Lang, type RunEvent } from '../../index.ts';
import { eventLines } from '../report/step-report.ts';
import { reduceAll } from './reduce.ts';
import { render } from './render.ts';
import type { Interruption, RunView } from './run-view.ts';
import { initialState } from './state.ts';
import { LiveRegion, type Screen } from './terminal.ts';

/** How the live view is made. */
export interface LiveOptions {
  readonly screen: Screen;
  readonly pipeline: string;
  readonly color: boolean;
  readonly unicode: boolean;
  readonly lang: Lang;
  readonly now?: () => number;
}

// Ten frames a second are smooth, and cost nothing next to a run.
const FRAME_MS = 100;

/** The view on a terminal: a frame that is kept up to date, with lasting lines passing above it. */
export function liveView(options: LiveOptions): RunView {
  const { screen, lang, color, unicode } = options;
  const now = options.now ?? Date.now;
  const region = new LiveRegion(screen);
  let state = initialState(options.pipeline, now());
  let waiting: RunEvent[] = [];
  let lasting: string[] = [];
  let interrupted: Interruption | undefined;
  let asides = 0;

  const draw = (): void => {
    state = reduceAll(state, waiting);
    waiting = [];
    if (asides > 0) return;
    region.print(lasting);
    lasting = [];
    // The last row stays free: writing its end would scroll the screen.
    const size = { width: Math.max(1, screen.columns), height: Math.max(1, screen.rows - 1) };
    region.show(render(state, { ...size, now: now(), color, unicode, lang, ...(interrupted ? { interrupted } : {}) }));
  };
  const timer = setInterval(draw, FRAME_MS);
  const restore = (): void => region.close();
  process.once('exit', restore);
  draw();

  return {
    sink: (event) => {
      waiting.push(event);
      if (event.type === 'message' || event.type === 'node-report' || event.type === 'warning')
        lasting.push(...eventLines(event, { lang }));
      if (event.type === 'run-started') lasting.push(...buildLines(event, { lang }));
    },
    interrupted: (how) => {
      interrupted = how;
      draw();
    },
    aside: async (work) => {
      asides++;
      region.close();
      try {
        return await work();
      } finally {
        asides--;
      }
    },
    close: () => {
      clearInterval(timer);
      process.removeListener('exit', restore);
      draw();
      region.close();
    },
  };
}
