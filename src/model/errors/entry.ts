/** A text in every language kubexm speaks. `{name}` marks a parameter. */
export interface Text {
  readonly en: string;
  readonly zh: string;
}

/** Languages that messages exist in. */
export type Lang = keyof Text;

/** What a failure means for the process: see docs/reference/errors.md. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 64 | 130;

/** What is declared about a code; its texts are in `data/errors`. */
export interface Declared<P extends string = string> {
  readonly exit: ExitCode;
  /** The names that its texts use, such as `host` for `cannot reach {host}`. */
  readonly params: readonly P[];
}

/** One entry of the error catalogue. */
export interface ErrorEntry extends Declared {
  readonly title: Text;
  readonly remedy: Text;
}

/** Declares a code: the exit code of its family, and the parameters that its texts use. */
export function code<const P extends string = never>(exit: ExitCode, ...params: readonly P[]): Declared<P> {
  return { exit, params };
}
