import { fillText } from '../text/fill.ts';
import { artifactErrors } from './artifact.ts';
import { configErrors } from './config.ts';
import { connectionErrors } from './connection.ts';
import type { ErrorEntry, ExitCode, Lang, Text } from './entry.ts';
import { labErrors } from './lab.ts';
import { machineErrors } from './machine.ts';
import { runErrors } from './run.ts';
import { texts } from './texts.ts';
import { usageErrors } from './usage.ts';

export type { ErrorEntry, ExitCode, Lang, Text } from './entry.ts';

const declared = {
  ...usageErrors,
  ...configErrors,
  ...connectionErrors,
  ...runErrors,
  ...machineErrors,
  ...labErrors,
  ...artifactErrors,
};

/** A code of the catalogue, such as `KX4002`. */
export type ErrorCode = keyof typeof declared;

/** The parameters a code's texts need. */
export type ErrorParams<C extends ErrorCode> = Readonly<
  Record<(typeof declared)[C]['params'][number], string | number>
>;

/** Every error kubexm can report, by code. A code without texts does not compile. */
export const catalogue: Readonly<Record<ErrorCode, ErrorEntry>> = withTexts(texts);

function withTexts(
  words: Readonly<Record<ErrorCode, { readonly title: Text; readonly remedy: Text }>>,
): Readonly<Record<ErrorCode, ErrorEntry>> {
  const codes = Object.keys(declared) as ErrorCode[];
  const entries = codes.map((code): [ErrorCode, ErrorEntry] => [code, { ...declared[code], ...words[code] }]);
  return Object.fromEntries(entries) as Record<ErrorCode, ErrorEntry>;
}

type AnyParams = Readonly<Record<string, string | number>>;

/** More about one occurrence: the last lines a host printed, where in a file. */
export interface ErrorDetail {
  readonly cause?: unknown;
  /** Lines to show under the message: the end of stderr, a diff. */
  readonly detail?: string;
  readonly host?: string;
}

/** The only error kubexm throws on purpose. Text is made when it is shown, in the reader's language. */
export class KubexmError extends Error {
  readonly code: ErrorCode;
  readonly params: AnyParams;
  readonly detail: string | undefined;
  readonly host: string | undefined;

  constructor(code: ErrorCode, params: AnyParams, more: ErrorDetail = {}) {
    super(fillText(catalogue[code].title.en, params), more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'KubexmError';
    this.code = code;
    this.params = params;
    this.detail = more.detail;
    this.host = more.host;
  }
}

/** Makes an error of the catalogue, with its parameters checked by the compiler. */
export function kubexmError<C extends ErrorCode>(code: C, params: ErrorParams<C>, more?: ErrorDetail): KubexmError {
  return new KubexmError(code, params, more);
}

/** An error's title in a language. */
export function errorTitle(code: ErrorCode, params: AnyParams, lang: Lang): string {
  return fillText(catalogue[code].title[lang], params);
}

/** The same in every language, for what is shown somewhere else. */
export function errorText(code: ErrorCode, params: AnyParams): Text {
  return { en: errorTitle(code, params, 'en'), zh: errorTitle(code, params, 'zh') };
}

/** What a person can do about it. */
export function errorRemedy(code: ErrorCode, params: AnyParams, lang: Lang): string {
  return fillText(catalogue[code].remedy[lang], params);
}

/** The catalogue's entry for a code that may come from outside. */
export function findError(code: string): ErrorEntry | undefined {
  return (catalogue as Record<string, ErrorEntry>)[code];
}

/** The process's exit code for whatever was thrown. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof KubexmError ? catalogue[error.code].exit : 1;
}
