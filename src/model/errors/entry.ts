/** A text in every language kubexm speaks. `{name}` marks a parameter. */
export interface Text {
  readonly en: string;
  readonly zh: string;
}

/** Languages that messages exist in. */
export type Lang = keyof Text;

/** What a failure means for the process: see docs/reference/errors.md. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 64 | 130;

/** One line of the error catalogue. */
export interface ErrorEntry {
  readonly title: Text;
  readonly remedy: Text;
  readonly exit: ExitCode;
}

/** The parameter names in a title such as `cannot reach {host}:{port}`. */
export type ParamNames<T extends string> = T extends `${string}{${infer P}}${infer Rest}`
  ? P | ParamNames<Rest>
  : never;
