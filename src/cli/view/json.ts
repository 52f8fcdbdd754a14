import { withoutStacks } from '../../model/event.ts';
import type { Interruption, RunView } from './run-view.ts';

/** The view for programs: every event as one line of JSON. What a person should know goes the other way. */
export function jsonView(
  write: (text: string) => void,
  notice: (how: Interruption) => void,
  options: { readonly debug?: boolean } = {},
): RunView {
  const replacer = options.debug ? undefined : withoutStacks;
  return {
    sink: (event) => write(`${JSON.stringify(event, replacer)}\n`),
    interrupted: notice,
    aside: (work) => work(),
    close: () => undefined,
  };
}
