import { chmod, copyFile, mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BuildNeed } from '../../../model/catalog/need.ts';
import type { Arch } from '../../../model/catalog/schema.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { SupplyIo } from '../../cache/types.ts';
import { checkNeeds } from './cgo.ts';
import { mustBeStatic } from './elf.ts';
import type { GoSettings } from './environment.ts';
import { fileFailure } from './failure.ts';
import { chooseToolchain } from './go-version.ts';
import type { Go } from './installed.ts';
import { prepare, type Workplace } from './modules.ts';
import { Session } from './session.ts';
import { findGo } from './toolchain.ts';
import { withWorkDirectory } from './work.ts';

/** Programs of one build for one processor. */
export interface GoRequest {
  readonly build: BuildNeed;
  readonly arch: Arch;
  readonly programs: readonly string[];
}

/** A program whose sources are here, with no requirements. */
export interface GoSourceRequest {
  readonly dir: string;
  readonly program: string;
  readonly arch: Arch;
  readonly ldflags: readonly string[];
}

/** Built programs by name, and their files. */
export type Built = Readonly<Record<string, string>>;

/** Neither symbols nor debug information: as the projects release their programs, and a third smaller. */
const ALWAYS = ['-s', '-w'];

/** Builds programs of a module into a directory, all in one go. What they are called there is their name. */
export async function goBuild(request: GoRequest, outDir: string, cacheDir: string, io: SupplyIo): Promise<Built> {
  const { build, arch } = request;
  const what = buildName(build);
  const packages = request.programs.map((program) => {
    const path = build.programs[program];
    if (path === undefined) throw kubexmError('KX7041', { program, what });
    return path;
  });
  return await within(what, cacheDir, io, async (directory, go) => {
    const session = new Session(go, { what, arch, cgo: build.cgo, directory }, io);
    try {
      const where = { cwd: directory, env: session.env, signal: io.signal };
      if (build.cgo) await checkNeeds(build, arch, what, where);
      session.progress.enter(`downloading ${what}`);
      const place = await prepare(build, session);
      session.toolchain = chooseToolchain(go.version, place.mods);
      const flags = flagsOf(build.tags, build.ldflags);
      await compile({ what, packages, flags, place }, session);
      const names = Object.fromEntries(request.programs.map((name, at) => [name, packages[at] ?? '']));
      return await take(names, arch, directory, outDir);
    } finally {
      session.progress.stop();
    }
  });
}

/** Builds a program that kubexm carries the sources of. Asks no network, unless there is no Go. */
export async function goBuildSource(
  request: GoSourceRequest,
  outDir: string,
  cacheDir: string,
  io: SupplyIo,
): Promise<string> {
  const { dir, program, arch } = request;
  const build = async (directory: string, go: Go): Promise<string> => {
    const session = new Session(go, { what: program, arch, cgo: false, directory }, io);
    try {
      const place = { directory: dir, mod: 'readonly', mods: [] } as const;
      await compile(
        { what: program, packages: ['.'], flags: flagsOf([], request.ldflags), place, as: program },
        session,
      );
      const built = await take({ [program]: '' }, arch, directory, outDir);
      return built[program] ?? '';
    } finally {
      session.progress.stop();
    }
  };
  return await within(program, cacheDir, io, build, false);
}

interface Compilation {
  readonly what: string;
  readonly packages: readonly string[];
  readonly flags: readonly string[];
  readonly place: Workplace;
  /** What the only program is called. Default: as go calls it. */
  readonly as?: string;
}

async function compile({ what, packages, flags, place, as = '' }: Compilation, session: Session): Promise<void> {
  const { directory } = place;
  const common = [`-mod=${place.mod}`, ...flags, ...packages];
  session.progress.enter(place.mods.length === 0 ? `reading ${what}` : `downloading what ${what} requires`);
  const format = '{{if .Stale}}{{.ImportPath}}{{end}}';
  const stale = await session.go(['list', '-deps', '-f', format, ...common], { directory, network: true });
  session.progress.enter(`building ${what}`, stale.split('\n').filter((line) => line !== '').length);
  const out = join(session.directory, 'out');
  await mkdir(out);
  await session.go(['build', '-v', '-o', `${out}/${as}`, ...common], { directory });
  session.progress.finish();
}

/** Moves programs out of the work directory, under their own names, after a look at each. */
async function take(
  programs: Readonly<Record<string, string>>,
  arch: Arch,
  directory: string,
  outDir: string,
): Promise<Built> {
  await mkdir(outDir, { recursive: true });
  const built: Record<string, string> = {};
  for (const [program, path] of Object.entries(programs)) {
    const file = join(directory, 'out', path === '' ? program : executableName(path));
    await mustBeStatic(file, program, arch);
    await chmod(file, 0o755);
    built[program] = join(outDir, program);
    await move(file, built[program]);
  }
  return built;
}

async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    await copyFile(from, `${to}.part`);
    await rename(`${to}.part`, to);
  });
}

/** What go calls a program: the last part of its package that is no major version. */
export function executableName(path: string): string {
  const name = basename(path);
  return /^v[0-9]+$/.test(name) ? basename(path.slice(0, -name.length - 1)) : name;
}

/** What a build is called in messages. */
function buildName(build: BuildNeed): string {
  const [first] = build.modules;
  return first === undefined ? 'nothing' : `${first.path} ${first.version}`;
}

/** Flags that decide what comes out; the same for listing and for building. */
export function flagsOf(tags: readonly string[], ldflags: readonly string[]): string[] {
  const linker = [...ALWAYS, ...ldflags].join(' ');
  return ['-trimpath', '-buildvcs=false', ...(tags.length === 0 ? [] : ['-tags', tags.join(',')]), '-ldflags', linker];
}

/** Refuses to download modules that nobody verifies, unless the user allows it. */
export function mustVerify(settings: GoSettings, unverified: boolean): void {
  if (settings['GOSUMDB'] === 'off' && !unverified) throw kubexmError('KX7045', { setting: 'GOSUMDB=off' });
}

/** Runs the work in a directory of its own, with a Go that is new enough to begin with. */
export async function within<T>(
  what: string,
  cacheDir: string,
  io: SupplyIo,
  work: (directory: string, go: Go) => Promise<T>,
  downloads = true,
): Promise<T> {
  return await withWorkDirectory(cacheDir, async (directory) => {
    const go = await findGo(what, directory, cacheDir, io);
    if (downloads) mustVerify(go.settings, io.unverified === true);
    try {
      return await work(directory, go);
    } catch (error) {
      io.signal.throwIfAborted();
      throw fileFailure(error, what, { ...go.settings, GOTMPDIR: directory });
    }
  });
}
