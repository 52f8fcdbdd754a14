import type { Interruption, RunView } from './run-view.ts';

/** The view for programs: every event as one line of JSON. What a person should know goes the other way. */
export function jsonView(write: (text: string) => void, notice: (how: Interruption) => void): RunView {
  return {
    sink: (event) => write(`${JSON.stringify(event)}\n`),
    interrupted: notice,
    aside: (work) => work(),
    close: () => undefined,
  };
}
