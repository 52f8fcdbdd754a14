import type { BuildNeed, GoModule } from '../../../model/catalog/need.ts';
import type { GoMod, Replacement } from './go-mod.ts';
import { neededGo } from './go-version.ts';

/** Its name is written into every program that is built in it. */
const NAME = 'kubexm.local/build';
/** Where a copy of the first module lies beside the go.mod, if files of it are left out. Its name is in the program too. */
export const COPY = 'module';
/** What a project writes that has no versions of a module. */
const PLACEHOLDER = 'v0.0.0';

/**
 * The go.mod of a module that requires those of a build. A main module's requirements, replacements and settings count for
 * nothing where somebody else requires it: all are carried over, so that what is built is what the project builds.
 */
export function wrapperText(build: Pick<BuildNeed, 'modules' | 'without' | 'replace'>, mods: readonly GoMod[]): string {
  const required = new Map<string, string>();
  for (const { path, version } of mods.flatMap((mod) => mod.require)) {
    const known = required.get(path);
    if (known === undefined || compareVersions(known, version) < 0) required.set(path, version);
  }
  for (const { path, version } of build.modules) required.set(path, version);
  const withheld = unpublished(mods, build.replace);
  for (const { path } of withheld) if (required.get(path) === PLACEHOLDER) required.delete(path);
  const requirements = [...required].map(([path, version]) => ({ path, version })).sort(byPath);
  const [first] = build.modules;
  const copied = first === undefined || build.without === undefined ? [] : [`replace ${first.path} => ./${COPY}`];
  const replacements = [...copied, ...staged(requirements, build.replace), ...carried(mods)];
  const lines = [
    `module ${NAME}`,
    `go ${neededGo(mods)}`,
    ...(mods[0]?.godebug ?? []).map((setting) => `godebug ${setting}`),
    ...requirements.map(({ path, version }) => `require ${path} ${version}`),
    ...unique([...mods.flatMap((mod) => mod.exclude), ...withheld].map((one) => `exclude ${one.path} ${one.version}`)),
    ...unique(replacements),
  ];
  return `${lines.join('\n')}\n`;
}

/** Requirements at a version that nobody published, and what stands for them. */
function staged(requirements: readonly GoModule[], replace: BuildNeed['replace']): string[] {
  if (replace === undefined) return [];
  const start = replace.modules.replace(/\*$/, '');
  return requirements
    .filter(({ path, version }) => path.startsWith(start) && version === replace.at)
    .map(({ path }) => `replace ${path} => ${path} ${replace.by}`);
}

/**
 * Requirements that nothing but a directory of the project's repository stands for, at the version that means "none": what its
 * tests need. Go passes over a requirement of a version that is excluded.
 */
function unpublished(mods: readonly GoMod[], replace: BuildNeed['replace']): GoModule[] {
  const staging = replace?.modules.replace(/\*$/, '');
  return mods.flatMap((mod) =>
    mod.require.filter(
      ({ path, version }) =>
        version === PLACEHOLDER &&
        (staging === undefined || !path.startsWith(staging)) &&
        mod.replace.some((one) => one.path === path && one.by.version === undefined),
    ),
  );
}

/** Replacements by what is published. Those by a directory beside the module are released beside it, at the same version. */
function carried(mods: readonly GoMod[]): string[] {
  return mods
    .flatMap((mod) => mod.replace)
    .filter(({ by }) => by.version !== undefined)
    .map(text);
}

function text({ path, version, by }: Replacement): string {
  return `replace ${[path, version, '=>', by.path, by.version].filter((word) => word !== undefined).join(' ')}`;
}

/** Go takes the highest of all required versions; said here too, since a file may name a module once only. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (left.core[i] ?? 0) - (right.core[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length;
  for (let i = 0; i < Math.max(left.pre.length, right.pre.length); i += 1) {
    const difference = compareParts(left.pre[i], right.pre[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parts(version: string): { readonly core: readonly number[]; readonly pre: readonly string[] } {
  const [, core = '', pre] = /^v?(\d+(?:\.\d+)*)(?:-([^+]*))?/.exec(version) ?? [];
  return { core: core.split('.').map(Number), pre: pre === undefined ? [] : pre.split('.') };
}

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) return a.length - b.length || (a < b ? -1 : Number(a > b));
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

function byPath(a: GoModule, b: GoModule): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

function unique(lines: readonly string[]): string[] {
  return [...new Set(lines)];
}
