import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Candidate, candidatesOf, scriptCandidatesOf } from './candidates.ts';
import { compiling } from './compile.ts';

/** What is to be mutated, under the name that its score has. */
export interface Target {
  readonly name: string;
  readonly files: readonly string[];
}

/** A mutant of a target. */
export interface Sampled {
  readonly target: Target;
  readonly one: Candidate;
}

/** The compiler refuses many a mutant: so many are looked at for each that is wanted. */
const SPARE = 2;

/** A folder of src, a path in the checkout, or `changed`: what differs from main. */
export function targetOf(root: string, word: string): Target {
  const files =
    word === 'changed' ? changed(root) : filesBelow(root, existsSync(join(root, 'src', word)) ? `src/${word}` : word);
  return {
    name: word,
    files: files.filter((file) => /^src\/.*\.(ts|sh)$/.test(file) && !/\.test\.ts$|\.d\.ts$/.test(file)).sort(),
  };
}

function filesBelow(root: string, path: string): readonly string[] {
  if (!existsSync(join(root, path))) return [];
  return statSync(join(root, path)).isDirectory() ? globSync(`${path}/**/*.{ts,sh}`, { cwd: root }) : [path];
}

function changed(root: string): readonly string[] {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const base = git('merge-base', 'main', 'HEAD').trim();
  const listed =
    git('diff', '--name-only', '--diff-filter=d', base) + git('ls-files', '--others', '--exclude-standard');
  return listed.split('\n');
}

/** The mutants of a source, or of a script by way of the sources beside it that read it. */
function mutantsOf(root: string, file: string): readonly Candidate[] {
  const read = (name: string) => ({ file: name, text: readFileSync(join(root, name), 'utf8') });
  if (file.endsWith('.ts')) return candidatesOf(file, read(file).text);
  const beside = globSync(`${dirname(file)}/*.ts`, { cwd: root, exclude: (name) => name.endsWith('.test.ts') });
  return beside.flatMap((source) => scriptCandidatesOf(read(file), read(source)));
}

/** The mutants that a seed chooses, at most so many of each target. */
export function sample(root: string, targets: readonly Target[], seed: string, most: number): readonly Sampled[] {
  const rank = (key: string): string => createHash('sha256').update(`${seed}\n${key}`).digest('hex');
  const ranked = targets.flatMap((target) => {
    const all = target.files.flatMap((file) => mutantsOf(root, file));
    const marked = all.map((one) => ({ target, one, rank: rank(one.key) }));
    return marked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, most * SPARE);
  });
  const compiled = new Set(
    compiling(
      root,
      ranked.map(({ one }) => one),
    ),
  );
  const left = ranked.filter(({ one }) => compiled.has(one));
  return [...Map.groupBy(left, ({ target }) => target).values()].flatMap((own) => own.slice(0, most));
}
