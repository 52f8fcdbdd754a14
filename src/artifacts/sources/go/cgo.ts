import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { BuildNeed } from '../../../model/catalog/need.ts';
import type { Arch } from '../../../model/catalog/schema.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import { type RunOptions, run } from './run.ts';

const TRIPLES: Readonly<Record<Arch, string>> = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** Headers tell a package for developers from one that has the library alone. */
const HEADERS: Readonly<Record<string, string>> = { seccomp: 'seccomp.h' };

type Where = Pick<RunOptions, 'cwd' | 'env' | 'signal'>;

/** The processor that kubexm itself runs on. */
export function ownArch(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

/** The C settings of go for a processor: none for its own one, unless the user names a compiler. */
export function compilerEnv(arch: Arch, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const cc = env['CC'];
  if (arch === ownArch()) return cc === undefined || cc === '' ? {} : { CC: cc };
  const triple = TRIPLES[arch];
  return { CC: `${triple}-gcc`, PKG_CONFIG_LIBDIR: `/usr/lib/${triple}/pkgconfig:/usr/share/pkgconfig` };
}

/** Refuses a build whose C compiler or libraries are not there, and names what to install. */
export async function checkNeeds(build: BuildNeed, arch: Arch, what: string, where: Where): Promise<void> {
  const missing = await missingNeeds(build, arch, where);
  if (missing.length > 0) refuse(missing, arch, what, build.needs);
}

/** What of a build's needs is not on this machine. */
export async function missingNeeds(
  { needs }: Pick<BuildNeed, 'needs'>,
  arch: Arch,
  where: Where,
): Promise<readonly string[]> {
  // Without a compiler nothing can be said about libraries: one thing after the other would be installed.
  if (needs.includes('gcc') && !(await present('gcc', where, arch))) return needs;
  const there = await Promise.all(needs.map((need) => present(need, where, arch)));
  return needs.filter((_, i) => there[i] === false);
}

/** What a processor's version of a need is called where Debian has it for others too. */
export function crossNeeds(missing: readonly string[], arch: Arch): readonly string[] {
  return arch === ownArch() ? missing : missing.map((need) => crossPackage(need, arch));
}

/** Compiler and libraries, as far as a result depends on them. */
export async function compilerKey(build: BuildNeed, where: Where): Promise<readonly string[]> {
  const compiler = await run(compilerOf(where), ['--version'], where);
  const libraries = await Promise.all(
    librariesOf(build.needs).map(async (name) => {
      const { stdout } = await run('pkg-config', ['--modversion', `lib${name}`], where);
      return `${name} ${stdout.trim()}`;
    }),
  );
  return [compiler.stdout.split('\n')[0] ?? '', ...libraries];
}

function refuse(missing: readonly string[], arch: Arch, what: string, needs: readonly string[]): never {
  const params = { what, missing: missing.join(', ') };
  const packages = crossNeeds(needs, arch).join(' ');
  if (arch === ownArch()) throw kubexmError('KX7036', { ...params, packages });
  throw kubexmError('KX7037', { ...params, arch, machine: ownArch(), packages });
}

function crossPackage(need: string, arch: Arch): string {
  if (need === 'gcc') return `gcc-${TRIPLES[arch].replace('_', '-')}`;
  if (need === 'libc6-dev') return `libc6-dev-${arch}-cross`;
  return need === 'pkg-config' ? need : `${need}:${arch}`;
}

/** Whether it is there is found out by using it: packages have other names elsewhere, and may lack the static library. */
async function present(need: string, where: Where, arch: Arch): Promise<boolean> {
  if (need === 'gcc') return onPath(compilerOf(where), where.env['PATH']);
  if (need === 'pkg-config') return onPath('pkg-config', where.env['PATH']);
  const library = librariesOf([need])[0];
  if (need !== 'libc6-dev' && library === undefined) return onPath(need, where.env['PATH']);
  if (library !== undefined && arch === ownArch() && !(await pkgConfig(library, where))) return false;
  const flags = library === undefined ? [] : [`-l${library}`];
  const header = library === undefined ? 'stdlib.h' : HEADERS[library];
  // Several are tried at a time, and the result is of no use.
  const args = ['-static', '-x', 'c', '-', '-o', '/dev/null', ...flags];
  const include = header === undefined ? '' : `#include <${header}>\n`;
  const { code } = await run(compilerOf(where), args, { ...where, input: `${include}int main(void) { return 0; }\n` });
  return code === 0;
}

async function pkgConfig(library: string, where: Where): Promise<boolean> {
  if (!(await onPath('pkg-config', where.env['PATH']))) return true;
  return (await run('pkg-config', ['--exists', `lib${library}`], where)).code === 0;
}

/** `libseccomp-dev` is linked as `seccomp`. */
function librariesOf(needs: readonly string[]): string[] {
  return needs.flatMap((need) => (need === 'libc6-dev' ? [] : (/^lib(.+)-dev$/.exec(need)?.[1] ?? [])));
}

function compilerOf(where: Where): string {
  return where.env['CC'] ?? 'gcc';
}

/** Whether a program is in one of the directories of PATH. */
export async function onPath(program: string, path = ''): Promise<boolean> {
  const files = program.includes('/') ? [program] : path.split(delimiter).map((dir) => join(dir, program));
  const found = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
