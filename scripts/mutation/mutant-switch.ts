// Put beside the sources under test as src/mutant-switch.ts: says which mutant is on, and notes which tests reach which.
const active = Number(process.env['KUBEXM_MUTANT'] ?? '-1');
const seen = process.env['KUBEXM_MUTANTS_SEEN'];
const noted = new Set<string>();

/** Whether a mutant is on. */
export function mutant(id: number): boolean {
  if (seen !== undefined) note(id, seen);
  return id === active;
}

function note(id: number, file: string): void {
  const line = `${id}\t${process.env['KUBEXM_MUTANT_TEST'] ?? ''}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  // Not an import: tests put other modules in its place.
  process.getBuiltinModule('node:fs').appendFileSync(file, line);
}
