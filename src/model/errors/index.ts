import { fillText } from '../text/fill.ts';
import { artifactErrors } from './artifact.ts';
import { artifactGoErrors } from './artifact-go.ts';
import { artifactImageErrors } from './artifact-image.ts';
import { artifactSourceErrors } from './artifact-source.ts';
import { supplyErrors } from './artifact-supply.ts';
import { configErrors } from './config.ts';
import { connectionErrors } from './connection.ts';
import type { ErrorEntry, ExitCode, Lang, ParamNames } from './entry.ts';
import { healthErrors } from './health.ts';
import { labErrors } from './lab.ts';
import { labUseErrors } from './lab-use.ts';
import { machineErrors } from './machine.ts';
import { manifestErrors } from './manifest.ts';
import { ociErrors } from './oci.ts';
import { pkiErrors } from './pki.ts';
import { planErrors } from './plan.ts';
import { preflightErrors } from './preflight.ts';
import { quickstartErrors } from './quickstart.ts';
import { recordErrors } from './record.ts';
import { runErrors } from './run.ts';
import { smokeErrors } from './smoke.ts';
import { stepErrors } from './step.ts';
import { usageErrors } from './usage.ts';

export type { ErrorEntry, ExitCode, Lang, Text } from './entry.ts';

/** Every error kubexm can report, by code. */
export const catalogue = {
  ...usageErrors,
  ...configErrors,
  ...connectionErrors,
  ...runErrors,
  ...planErrors,
  ...preflightErrors,
  ...smokeErrors,
  ...healthErrors,
  ...stepErrors,
  ...pkiErrors,
  ...machineErrors,
  ...labErrors,
  ...recordErrors,
  ...manifestErrors,
  ...labUseErrors,
  ...quickstartErrors,
  ...artifactErrors,
  ...artifactGoErrors,
  ...artifactImageErrors,
  ...supplyErrors,
  ...artifactSourceErrors,
  ...ociErrors,
};

type Catalogue = typeof catalogue;

/** A code of the catalogue, such as `KX4002`. */
export type ErrorCode = keyof Catalogue;

/** The parameters a code's texts need. */
export type ErrorParams<C extends ErrorCode> = Readonly<
  Record<ParamNames<Catalogue[C]['title']['en'] | Catalogue[C]['remedy']['en']>, string | number>
>;

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
