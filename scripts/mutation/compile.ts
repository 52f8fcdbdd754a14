import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Candidate } from './candidates.ts';
import { mutated } from './instrument.ts';

/**
 * The mutants that the compiler lets through, in order: nobody needs a test for the others. Each is checked as a file of its own
 * beside the real one, all in one program.
 */
export function compiling(root: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const texts = new Map<string, string>();
  const variant = (file: string, nth: number | string): string =>
    join(root, file.replace(/\.ts$/, `.mutant-${nth}.ts`));
  const files = new Set(candidates.map(({ file }) => file));
  const text = (file: string): string => readFileSync(join(root, file), 'utf8');
  for (const file of files) texts.set(variant(file, 'none'), text(file));
  for (const [i, one] of candidates.entries()) texts.set(variant(one.file, i), mutated(text(one.file), one));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host });
  const complaints = (path: string): number => {
    const source = program.getSourceFile(path);
    if (source === undefined) throw new Error(`the compiler did not read ${path}`);
    return program.getSyntacticDiagnostics(source).length + program.getSemanticDiagnostics(source).length;
  };
  // A class with private fields is another class in a copy of its file: what the copy alone is accused of is no fault of a mutant.
  const usual = new Map([...files].map((file) => [file, complaints(variant(file, 'none'))]));
  return candidates.filter((one, i) => complaints(variant(one.file, i)) <= (usual.get(one.file) ?? 0));
}
