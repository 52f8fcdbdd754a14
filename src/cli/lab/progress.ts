import type { LabProgress } from '../../index.ts';
import { printable } from '../../model/text/printable.ts';
import { cutText } from '../../model/text/width.ts';
import type { Io } from '../io.ts';
import { durationText, elapsedText } from '../output/duration.ts';
import type { PlainKey, Say } from '../texts/index.ts';

type MachineState = Extract<LabProgress, { type: 'machine' }>['state'];

const STATES: Readonly<Record<MachineState, PlainKey>> = {
  preparing: 'progress.preparing',
  booting: 'progress.booting',
  ready: 'progress.ready',
  baseline: 'progress.baseline',
  stopping: 'progress.stopping',
  stopped: 'progress.stopped',
  copying: 'progress.copying',
  removed: 'progress.removed',
};
const WAITING = {
  lab: 'progress.waiting.lab',
  base: 'progress.waiting.base',
  box: 'progress.waiting.box',
} as const satisfies Record<string, PlainKey>;

/** Shows what happens to a lab while somebody waits. */
export interface LabView {
  readonly progress: (event: LabProgress) => void;
  close(): void;
}

/** What is known so far, in a few words. */
export interface LabPicture {
  /** What happens that is not about a machine. */
  readonly activity?: string;
  /** What a tool said last. */
  readonly line?: string;
  readonly machines: ReadonlyMap<string, MachineState>;
}

const FRAME_MS = 100;
const HEARTBEAT_MS = 20_000;

/** What an event adds to the picture. */
export function withEvent(picture: LabPicture, event: LabProgress, say: Say): LabPicture {
  const { machines } = picture;
  if (event.type === 'machine') return { machines: new Map(machines).set(event.machine, event.state) };
  const line = event.type === 'base' ? event.line : undefined;
  return { machines, activity: activityText(event, say), ...(line === undefined ? {} : { line: printable(line) }) };
}

/** The picture as one line: `ready 3, booting 2`. */
export function pictureText({ activity, line, machines }: LabPicture, say: Say): string {
  if (activity !== undefined) return line === undefined ? activity : `${activity} · ${line}`;
  const counts = new Map<MachineState, number>();
  for (const state of machines.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts]
    .map(([state, n]) => say('progress.count', { state: say(STATES[state]), n }))
    .join(say('listComma'));
}

/** The lasting line of an event: none for what a tool says, unless everything is wanted. */
export function eventLine(event: LabProgress, say: Say, verbose: boolean): string | undefined {
  if (event.type === 'machine') {
    const { machine, state, ms } = event;
    return say('progress.machine', { machine, state: say(STATES[state]), time: durationText(ms, say) });
  }
  if (event.type === 'base' && event.line !== undefined) return verbose ? printable(event.line) : undefined;
  return activityText(event, say);
}

function activityText(event: Exclude<LabProgress, { type: 'machine' }>, say: Say): string {
  switch (event.type) {
    case 'waiting':
      return say(WAITING[event.for]);
    case 'installing':
      return say('progress.installing', { packages: event.packages.join(', ') });
    case 'network':
      return say('progress.network', { subnet: event.subnet, link: event.link });
    case 'base':
      return event.state === 'ready'
        ? say('progress.built', { image: event.image })
        : say('progress.building', { image: event.image });
  }
}

/** A line that is kept up to date on a terminal; a line per event elsewhere, and a sign of life in between. */
export async function labView(io: Io): Promise<LabView> {
  const { say } = io;
  const isLive = io.stderr.isTTY === true && io.env['TERM'] !== 'dumb' && !io.debug;
  const began = performance.now();
  let picture: LabPicture = { machines: new Map() };
  if (isLive) {
    const { LiveRegion } = await import('../view/terminal.ts');
    const region = new LiveRegion({
      write: (text) => void io.stderr.write(text),
      get columns() {
        return io.stderr.columns ?? 80;
      },
      get rows() {
        return io.stderr.rows ?? 24;
      },
    });
    const draw = (): void => {
      const words = [elapsedText(performance.now() - began, say), pictureText(picture, say)].filter(
        (one) => one !== '',
      );
      region.show([io.paintNote('dim', cutText(words.join('  '), Math.max(1, (io.stderr.columns ?? 80) - 1)))]);
    };
    const timer = setInterval(draw, FRAME_MS);
    const restore = (): void => region.close();
    process.once('exit', restore);
    return {
      progress: (event) => {
        picture = withEvent(picture, event, say);
      },
      close: () => {
        clearInterval(timer);
        process.removeListener('exit', restore);
        region.close();
      },
    };
  }
  let lastAt = Date.now();
  let last: string | undefined;
  const tell = (text: string): void => {
    lastAt = Date.now();
    io.note(text);
  };
  const timer = setInterval(() => {
    if (Date.now() - lastAt >= HEARTBEAT_MS)
      tell(`${pictureText(picture, say)} … ${elapsedText(performance.now() - began, say)}`);
  }, 1000);
  return {
    progress: (event) => {
      picture = withEvent(picture, event, say);
      const line = eventLine(event, say, io.debug);
      if (line !== undefined && line !== last) tell(line);
      last = line ?? last;
    },
    close: () => clearInterval(timer),
  };
}
