import { loadModules, lookAtModules, seenModules, unloadModules } from '../../host/os/module.ts';
import { lookAbove, lookAtTexts, missingAbove, textOf } from '../../host/os/text-state.ts';
import { lines, sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid, tempBeside } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';
import { hasOnlyLines, hasText, putBackText, type TextBefore, textChange } from './lib/small-text.ts';

/** Modules of the kernel: loaded now, and whenever the machine starts. */
export interface KernelModules {
  readonly modules: readonly string[];
  /** Loaded too, if this kernel has them. */
  readonly optional?: readonly string[];
  /** Name of the file in /etc/modules-load.d. Default: kubexm.conf */
  readonly file?: string;
}

/** Which modules are there; what is built into the kernel counts as loaded. A type, so that it is Json too. */
export type LoadedModules = {
  readonly loaded: readonly string[];
  /** Optional ones that this kernel does not have. */
  readonly missing: readonly string[];
};

interface Before {
  readonly file: TextBefore;
  /** What gets loaded that was not: the modules themselves and those they need, in the order of loading. */
  readonly fresh: readonly string[];
}

const HEADER = '# Written by kubexm: modules that the cluster needs.';

function pathOf(want: KernelModules): string {
  const name = want.file ?? 'kubexm.conf';
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*\.conf$/.test(name))
    throw invalid(`${JSON.stringify(name)} is no name of a .conf file`);
  return `/etc/modules-load.d/${name}`;
}

function allOf(want: KernelModules): readonly string[] {
  const all = [...want.modules, ...(want.optional ?? [])];
  for (const name of all)
    if (!/^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name)) throw invalid(`${JSON.stringify(name)} is no kernel module`);
  return all;
}

function fileText(names: readonly string[]): string {
  return [HEADER, ...names, ''].join('\n');
}

/** Loads modules and has them loaded at every start. What is built into the kernel is loaded. */
export const kernelModule = defineStep<KernelModules>()({
  kind: 'kernelModule',
  description: 'Kernel modules that are loaded now and at every start; what is built into the kernel counts as loaded.',
  title: (want) => `kernel modules of ${want.file ?? 'kubexm.conf'}`,
  probe: (want) => lines(lookAtModules(allOf(want)), lookAtTexts({ file: pathOf(want) }), lookAbove(pathOf(want))),
  judge: (output, want) => {
    const seen = seenModules(output.stdout);
    const optional = new Set(want.optional);
    const gone = (state: string) => state === 'missing' || state === 'disabled';
    const missing = seen.filter((one) => optional.has(one.name) && gone(one.state)).map((one) => one.name);
    const present = seen.map((one) => one.name).filter((name) => !missing.includes(name));
    const toLoad = seen.filter((one) => present.includes(one.name) && !['loaded', 'built-in'].includes(one.state));
    const file = textOf(output.stdout, 'file');
    const text = fileText(present);
    const same = seen.length === allOf(want).length && hasText(file, text);
    if (same && toLoad.length === 0) return satisfied<LoadedModules>({ loaded: present, missing });
    const before: Before = {
      file: { file, made: missingAbove(output.stdout, pathOf(want)) },
      fresh: [...new Set(toLoad.flatMap((one) => one.fresh))],
    };
    const changes = toLoad.map(
      (one): Change => ({
        what: `kernel module ${one.name}`,
        from: one.state === 'loadable' ? 'not loaded' : one.state,
        to: 'loaded',
      }),
    );
    return needed(before, [...changes, ...(same ? [] : [textChange(pathOf(want), file, text)])]);
  },
  apply: (_host, want) => {
    allOf(want);
    return withFunctions(
      'write',
      loadModules(want.modules, want.optional ?? []),
      sh`p=${pathOf(want)}; t=${tempBeside(pathOf(want))}
[ -d "\${p%/*}" ] || (umask 022; mkdir -- "\${p%/*}") || kxg_fail "cannot make \${p%/*}"
kxg_new "$t"; t=$kxg_file
{ printf '%s\\n' ${HEADER} && for name in $kxo_present; do printf '%s\\n' "$name"; done; } >"$t" && chmod 0644 "$t" || kxg_fail "cannot write $t"
kxg_place "$t" "$p"`,
    );
  },
  saves: (want) => [pathOf(want)],
  owns: (want) => allOf(want).map((name) => `module:${name}`),
  revert: (_host, want, before) =>
    lines(unloadModules(before.fresh), putBackText(pathOf(want), before.file, hasOnlyLines([HEADER, ...allOf(want)]))),
  example: { modules: ['overlay', 'br_netfilter'], optional: ['nf_conntrack'] },
});
