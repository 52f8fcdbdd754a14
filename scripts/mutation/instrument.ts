import { posix } from 'node:path';
import type { Candidate } from './candidates.ts';

/** A mutant that can be switched on by its number. */
export interface Mutant extends Candidate {
  readonly id: number;
}

/** The source with one mutant in place. */
export function mutated(text: string, { start, end, form, replacement }: Candidate): string {
  return text.slice(0, start) + (form === 'statement' ? ';' : `(${replacement})`) + text.slice(end);
}

/** The source with switches for all its mutants: as it was, unless one of them is on. No line moves. */
export function instrumented(file: string, text: string, mutants: readonly Mutant[]): string {
  const inserts = mutants.flatMap((one) => {
    const [before, after] = switchOf(one);
    return [
      // Around the same place the longer one opens first and closes last.
      { at: one.start, text: before, order: -(one.end - one.start), opens: 1, id: one.id },
      { at: one.end, text: after, order: one.end - one.start, opens: 0, id: -one.id },
    ];
  });
  inserts.sort((a, b) => a.at - b.at || a.opens - b.opens || a.order - b.order || a.id - b.id);
  let out = '';
  let from = 0;
  for (const one of inserts) {
    out += text.slice(from, one.at) + one.text;
    from = one.at;
  }
  const path = posix.relative(posix.dirname(file), 'src/mutant-switch.ts');
  const module = path.startsWith('.') ? path : `./${path}`;
  return `import { mutant as kx_mutant } from '${module}'; ${out}${text.slice(from)}`;
}

function switchOf({ id, form, replacement }: Mutant): readonly [before: string, after: string] {
  if (form === 'statement') return [`{ if (!kx_mutant(${id})) `, ' }'];
  return [`(kx_mutant(${id}) ? (${replacement}) : (`, '))'];
}
