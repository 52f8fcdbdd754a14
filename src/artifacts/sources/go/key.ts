import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { SupplyIo } from '../../cache/types.ts';
import { flagsOf, type GoRequest } from './build.ts';
import { compilerEnv, compilerKey } from './cgo.ts';
import { askingEnv, unverifiedBy } from './environment.ts';
import { fetchedVersion } from './fetch-toolchain.ts';
import { askGo } from './installed.ts';

/** Goes up where a build gives something else from the same recipe. */
const FORMAT = 1;

/** What the result of a build depends on: the toolchain, the recipe, the processor, the C compiler. Asks no network and builds nothing. */
export async function goKey(request: GoRequest, io: Pick<SupplyIo, 'env' | 'signal' | 'unverified'>): Promise<string> {
  const { build, arch } = request;
  const installed = await askGo('go', tmpdir(), io);
  const go = installed?.version ?? fetchedVersion();
  const env = { ...askingEnv(io.env), ...compilerEnv(arch, io.env) };
  const compiler = build.cgo ? await compilerKey(build, { cwd: tmpdir(), env, signal: io.signal }) : [];
  return `go${go}-${recipeHash(request, compiler)}${verification(installed?.settings ?? io.env, io)}`;
}

/** What nobody vouched for is never taken for what was verified, nor the other way round. */
function verification(
  settings: Readonly<Record<string, string | undefined>>,
  { unverified }: Pick<SupplyIo, 'unverified'>,
): string {
  const set = Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return unverified === true && unverifiedBy(set).length > 0 ? '-unverified' : '';
}

/** A digest over all that a recipe says about these programs, in any order of the programs. */
export function recipeHash({ build, arch, programs }: GoRequest, compiler: readonly string[]): string {
  const { style, modules, cgo, without, replace } = build;
  const recipe = {
    format: FORMAT,
    arch,
    style,
    modules: modules.map(({ path, version }) => `${path}@${version}`),
    programs: [...programs].sort().map((name) => [name, build.programs[name]]),
    cgo,
    flags: flagsOf(build.tags, build.ldflags),
    ...(without === undefined ? {} : { without }),
    replace: replace === undefined ? [] : [replace.modules, replace.at, replace.by],
    compiler,
  };
  return createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 32);
}
