import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { GENERATED } from '../docs/markdown.ts';
import { shellWord } from '../resume-command.ts';

const STANDARD = join('docs', 'reference');

/** `kubexm generate docs` */
export function generateDocsCommand(all: () => readonly CommandSpec[]): CommandSpec {
  return {
    path: 'generate docs',
    summary: 'cmd.generate-docs',
    details: 'cmd.generate-docs.details',
    examples: [
      { line: 'kubexm generate docs', text: 'ex.generate-docs' },
      { line: 'kubexm generate docs --check', text: 'ex.generate-docs-check' },
    ],
    options: [
      { flags: '--out <directory>', text: 'opt.out', kind: 'directory', default: STANDARD },
      { flags: '--check', text: 'opt.check' },
    ],
    action: async (call) => {
      const { referencePages } = await import('../docs/pages.ts');
      const dir = resolve(call.io.cwd, call.options.text('out') ?? STANDARD);
      const pages = referencePages(all());
      if (call.options.flag('check')) check(call, dir, pages);
      else write(call, dir, pages);
      return 0;
    },
  };
}

function check({ io }: Call, dir: string, pages: ReadonlyMap<string, string>): void {
  const stale = [...staleFiles(dir, pages)].map((file) => relative(io.cwd, join(dir, file)));
  if (stale.length === 0) {
    io.note(io.say('docs.fresh', { n: pages.size }));
    return;
  }
  const out = relative(io.cwd, dir);
  const command = out === STANDARD ? 'kubexm generate docs' : `kubexm generate docs --out ${shellWord(out)}`;
  throw cliError('KX1032', { count: stale.length, files: stale.join(', '), command });
}

function write({ io }: Call, dir: string, pages: ReadonlyMap<string, string>): void {
  const stale = staleFiles(dir, pages);
  try {
    mkdirSync(dir, { recursive: true });
    for (const file of stale) {
      const text = pages.get(file);
      if (text === undefined) rmSync(join(dir, file));
      else writeFileSync(join(dir, file), text);
    }
  } catch (error) {
    throw cliError('KX1031', { file: dir, reason: (error as Error).message }, { cause: error });
  }
  io.print([...stale].map((file) => relative(io.cwd, join(dir, file))));
  io.note(io.say('docs.written', { n: stale.size, all: pages.size }));
}

/** Pages that differ, are missing, or are there without being written any more. */
function staleFiles(dir: string, pages: ReadonlyMap<string, string>): ReadonlySet<string> {
  const differing = [...pages].filter(([file, text]) => read(join(dir, file)) !== text).map(([file]) => file);
  const left = listed(dir).filter((file) => !pages.has(file) && read(join(dir, file))?.includes(GENERATED));
  return new Set([...differing, ...left]);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function listed(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter((file) => file.endsWith('.md'))
      .sort();
  } catch {
    return [];
  }
}
