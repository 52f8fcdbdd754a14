import { Secret } from '../../model/cluster/secret.ts';
import { formatPath, type Path } from '../tree.ts';
import { type Rule, rule } from './rule.ts';

const PLACEHOLDER = /^(\*+|[xX]{3,}|\.{3,}|…+|<.*>|\$\{?\w+\}?|\{\{.*\}\}|changeme|change-me|todo)$/i;

/** Calls back for every secret below a value. */
export function eachSecret(value: unknown, path: Path, visit: (secret: Secret, path: Path) => void): void {
  if (value instanceof Secret) visit(value, path);
  else if (Array.isArray(value)) {
    value.forEach((item: unknown, i) => {
      eachSecret(item, [...path, i], visit);
    });
  } else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) eachSecret(inner as unknown, [...path, key], visit);
  }
}

const inlineSecrets = rule([], ({ document, report }) => {
  const found: Path[] = [];
  eachSecret(document, [], (secret, path) => {
    if (secret.kind !== 'inline') return;
    found.push(path);
    if (PLACEHOLDER.test(secret.inlineText() ?? '')) report('KX2907', { field: formatPath(path) }, path);
  });
  if (found[0] !== undefined) report('KX2901', { count: found.length }, found[0]);
});

/** Rules over secrets. */
export const secretRules: readonly Rule[] = [inlineSecrets];
