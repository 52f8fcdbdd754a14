import type { ExitCode } from '../model/errors/index.ts';
import { findError } from '../model/errors/index.ts';
import type { RunReport } from './run-pipeline.ts';

/** The exit code a run deserves. A single kind of failure keeps its own family; several are simply a failed run. */
export function exitCodeOfReport(report: RunReport): ExitCode {
  switch (report.outcome) {
    case 'succeeded':
      return 0;
    case 'interrupted':
      return 130;
    case 'partial':
      return report.unreachable.length > 0 && report.changes === 0 ? 5 : 7;
    case 'failed': {
      const codes = new Set(report.failures.map((failure) => findError(failure.error.code)?.exit ?? 1));
      const [only] = codes;
      return codes.size === 1 && only !== undefined ? only : 1;
    }
  }
}
