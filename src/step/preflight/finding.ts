import type { ErrorCode, ErrorParams } from '../../model/errors/index.ts';
import type { Finding as AnyFinding, FindingGroup, Severity } from '../../model/report.ts';

type PreflightCode = Extract<ErrorCode, `KX45${string}`>;

/**
 * Something that was found on hosts. Findings of equal code and parameters are one line of the table; the note may differ from
 * host to host.
 */
export type Finding = AnyFinding & {
  readonly severity: Severity;
  readonly hosts: readonly string[];
};

/** A finding on one host or on several, with its parameters checked by the compiler. */
export function finding<C extends PreflightCode>(
  code: C,
  severity: Severity,
  hosts: string | readonly string[],
  params: ErrorParams<C>,
  note?: string,
): Finding {
  const on = typeof hosts === 'string' ? [hosts] : hosts;
  return { code, severity, hosts: on, params, ...(note === undefined ? {} : { note }) };
}

const ORDER: readonly Severity[] = ['error', 'warning', 'info'];

/** Joins equal findings: the worst first, then by code. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const equal = Map.groupBy(findings, ({ code, severity, params }) => JSON.stringify([code, severity, params]));
  const groups = [...equal.values()].flatMap((some): readonly FindingGroup[] => {
    const [first] = some;
    if (!first) return [];
    const noted = Map.groupBy(
      some.filter(({ note }) => note !== undefined),
      ({ note }) => note ?? '',
    );
    const hostsOf = (list: readonly Finding[]) => [...new Set(list.flatMap(({ hosts }) => hosts))];
    const notes = [...noted].map(([note, list]) => ({ note, hosts: hostsOf(list) }));
    return [{ code: first.code, severity: first.severity, params: first.params, hosts: hostsOf(some), notes }];
  });
  const rank = ({ severity }: FindingGroup) => ORDER.indexOf(severity);
  return groups.sort((a, b) => rank(a) - rank(b) || a.code.localeCompare(b.code));
}
