import type { EventSink } from '../../index.ts';

/** How often Ctrl-C was pressed: once, twice, or twice where nothing can be resumed. */
export type Interruption = 'draining' | 'stopping' | 'stoppingForGood';

/** Shows a run while it goes on. */
export interface RunView {
  readonly sink: EventSink;
  /** The person pressed Ctrl-C. */
  interrupted(how: Interruption): void;
  /** Leaves the terminal to a question for as long as it takes. */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the view; what it showed for the moment is gone. */
  close(): void;
}
