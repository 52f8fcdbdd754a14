import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildNeed, GoModule } from '../../../model/catalog/need.ts';
import { type GoMod, parseGoMod } from './go-mod.ts';
import type { Session } from './session.ts';
import { COPY, wrapperText } from './wrapper.ts';

/** A module that is in Go's cache, verified. */
interface Downloaded extends GoModule {
  /** Its go.mod. */
  readonly mod: GoMod;
  /** Its files. */
  readonly directory: string;
}

/** Where a build runs, and how go must treat the go.mod there. */
export interface Workplace {
  readonly directory: string;
  readonly mod: 'readonly' | 'mod';
  readonly mods: readonly GoMod[];
}

/** Downloads the modules of a build and makes the place to build them in. */
export async function prepare(build: BuildNeed, session: Session): Promise<Workplace> {
  const modules = await downloadModules(build.modules, session);
  const mods = modules.map((module) => module.mod);
  // Its zip has vendor/modules.txt but no vendored packages: inside a module go needs a flag to use it as it is.
  if (build.style === 'module') {
    return { directory: modules[0]?.directory ?? session.directory, mod: 'readonly', mods };
  }
  const directory = join(session.directory, 'wrapper');
  await mkdir(directory);
  await writeFile(join(directory, 'go.mod'), wrapperText(build, mods));
  const [first] = modules;
  if (first !== undefined && build.without !== undefined) {
    const left = await copyTree(first.directory, join(directory, COPY), build.without);
    const unknown = build.without.filter((file) => !left.includes(file));
    if (unknown.length > 0) throw session.failed(`${unknown.join(', ')}: to be left out, but not there`);
  }
  return { directory, mod: 'mod', mods };
}

/** Brings modules into Go's cache, verified. */
export async function downloadModules(modules: readonly GoModule[], session: Session): Promise<Downloaded[]> {
  const directory = join(session.directory, 'download');
  await mkdir(directory);
  // Should a directory above hold a module, it must not be taken for ours.
  await writeFile(join(directory, 'go.mod'), 'module kubexm.local/download\n\ngo 1.16\n');
  const names = modules.map(({ path, version }) => `${path}@${version}`);
  const found = new Map<string, Record<string, string>>();
  const stdout = await session.go(['mod', 'download', '-json', ...names], { directory, network: true });
  for (const answer of objects(stdout)) found.set(`${answer['Path']}@${answer['Version']}`, answer);
  return await Promise.all(
    modules.map(async (module) => {
      const answer = found.get(`${module.path}@${module.version}`) ?? {};
      const { Dir: dir, GoMod: file } = answer;
      if (dir === undefined || file === undefined) throw session.failed(answer['Error'] ?? 'it did not come');
      return { ...module, directory: dir, mod: parseGoMod(await readFile(file, 'utf8')) };
    }),
  );
}

/** Copies a module without some of its files; returns which of those it came across. Go's own copy cannot be written to. */
async function copyTree(from: string, to: string, without: readonly string[], below = ''): Promise<readonly string[]> {
  await mkdir(to);
  const left: string[] = [];
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target, name] = [join(from, entry.name), join(to, entry.name), join(below, entry.name)];
    if (without.includes(name)) left.push(name);
    else if (entry.isDirectory()) left.push(...(await copyTree(source, target, without, name)));
    else await copyFile(source, target);
  }
  return left;
}

/** `go mod download -json` prints objects one after the other. */
function objects(text: string): Record<string, string>[] {
  return text
    .split(/(?<=^\})\n/m)
    .filter((part) => part.trim() !== '')
    .map((part) => JSON.parse(part) as Record<string, string>);
}
