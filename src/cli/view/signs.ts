/** The signs of the views. Each state has its own, so that nothing depends on colour. */
export interface Signs {
  readonly done: string;
  readonly failed: string;
  readonly running: string;
  readonly waiting: string;
  readonly warning: string;
  readonly undoing: string;
  readonly arrow: string;
  readonly bar: { readonly full: string; readonly empty: string };
  readonly quote: string;
  readonly more: string;
  readonly dot: string;
}

const UNICODE: Signs = {
  done: '✓',
  failed: '✗',
  running: '●',
  waiting: '○',
  warning: '!',
  undoing: '↶',
  arrow: '→',
  bar: { full: '━', empty: '─' },
  quote: '│',
  more: '…',
  dot: '·',
};

const ASCII: Signs = {
  done: 'v',
  failed: 'x',
  running: '*',
  waiting: 'o',
  warning: '!',
  undoing: '<',
  arrow: '->',
  bar: { full: '=', empty: '-' },
  quote: '|',
  more: '...',
  dot: '-',
};

/** The signs a terminal can show. */
export function signsFor(unicode: boolean): Signs {
  return unicode ? UNICODE : ASCII;
}
