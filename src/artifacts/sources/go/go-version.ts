import type { GoMod } from './go-mod.ts';

/** The oldest Go that can bring another one itself. */
export const OLDEST_SWITCHING = '1.21';

/** Compares versions of Go: `1.26rc1` is older than `1.26` and `1.26.0`, and those are older than `1.26.1`. */
export function compareGo(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < left.length; i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** `go1.26.8`, or `go1.26.8 X:nocoverageredesign`, as `1.26.8`; unset where it is no release, such as `devel go1.27-…`. */
export function plainGo(text: string): string | undefined {
  return /^(?:go)?(1\.\d+(?:\.\d+|(?:alpha|beta|rc)\d+)?)(?:[-\s+]|$)/.exec(text.trim())?.[1];
}

/** The oldest Go that builds these modules. */
export function neededGo(modules: readonly Pick<GoMod, 'go'>[]): string {
  return newest(['1.16', ...modules.map((module) => module.go)]);
}

/**
 * The toolchain that go uses: the installed one where it is new enough, else a release. A `toolchain` line is a preference
 * of the module's developers: it counts only where another toolchain is downloaded anyway.
 */
export function chooseToolchain(installed: string, modules: readonly Pick<GoMod, 'go' | 'toolchain'>[]): string {
  const needed = neededGo(modules);
  if (compareGo(installed, needed) >= 0) return 'local';
  return `go${release(newest([needed, ...modules.flatMap((module) => module.toolchain ?? [])]))}`;
}

function newest(versions: readonly string[]): string {
  return versions.reduce((a, b) => (compareGo(a, b) >= 0 ? a : b));
}

/** Since 1.21 the first release of a line is `1.21.0`; a `go` line may say only `1.22`. */
function release(version: string): string {
  const line = /^1\.(\d+)$/.exec(version)?.[1];
  return line !== undefined && Number(line) >= 21 ? `${version}.0` : version;
}

const STAGES = ['alpha', 'beta', 'rc'];

function numbers(version: string): readonly number[] {
  const [, minor = '0', patch, stage, count = '0'] =
    /^1\.(\d+)(?:\.(\d+)|(alpha|beta|rc)(\d+))?/.exec(version.replace(/^go/, '')) ?? [];
  return [Number(minor), stage === undefined ? STAGES.length : STAGES.indexOf(stage), Number(patch ?? count)];
}
