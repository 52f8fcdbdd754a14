import type { ErrorCode, ErrorParams } from '../index.ts';

/** A word that was perhaps mistyped, and what it could have been: becomes the `{hint}` of an error's remedy. */
export interface Similar {
  readonly word: string;
  readonly among: readonly string[];
}

/** More about one error. */
export interface CliErrorDetail {
  readonly detail?: string;
  readonly cause?: unknown;
  readonly similar?: Similar;
}

/** An error of the catalogue, made without loading the catalogue: its texts are looked up when it is shown. */
export class CliError extends Error {
  readonly code: ErrorCode;
  readonly params: Readonly<Record<string, string | number>>;
  readonly detail: string | undefined;
  readonly similar: Similar | undefined;

  constructor(code: ErrorCode, params: Readonly<Record<string, string | number>>, more: CliErrorDetail = {}) {
    super(code, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'CliError';
    this.code = code;
    this.params = params;
    this.detail = more.detail;
    this.similar = more.similar;
  }
}

/** Makes an error of the command line, with its parameters checked by the compiler. */
export function cliError<C extends ErrorCode>(
  code: C,
  params: Omit<ErrorParams<C>, 'hint'>,
  more?: CliErrorDetail,
): CliError {
  return new CliError(code, params, more);
}
