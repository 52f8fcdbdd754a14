import { kubexmError } from '../model/errors/index.ts';
import type { Host, Machine, Output } from '../model/host.ts';
import { lines, type Script, sh } from '../model/script.ts';
import type { AnyStep } from '../plan/step.ts';
import { hostKey } from './keys.ts';
import { isScript, tail } from './perform.ts';

/** What a step is about to overwrite, kept on the machine before that. */
export interface BeforeImage {
  /** Keeps it, or ends the script that it is a part of. */
  readonly script: Script;
  /** The machine for a step that works by itself: the first thing it does waits until the image is kept. */
  guard(machine: Machine): Host;
  /** Throws if a script ended because the image could not be kept: then nothing was touched. */
  mustBeKept(output: Output | undefined): void;
}

/** How the library's `kx_restore` ends where no before-image was ever kept. */
export const NO_IMAGE = 96;
const CODE = 97;
const WORDS = 'kubexm: the before-image could not be kept';
const SAVE = sh`kx_save`;
const STAGE = sh`kx_stage`;
const FAILED = sh`{ echo ${WORDS} >&2; exit ${CODE}; }`;

/**
 * The before-image of a step that declares what it overwrites; `owned` makes it the manifest's too. `spared` is called when it
 * could not be kept.
 */
export function beforeImage(
  run: string,
  of: {
    readonly ref: { readonly node: string };
    readonly step: AnyStep;
    readonly want: unknown;
    readonly nature: string;
  },
  spared: () => void,
  owned?: Script,
): BeforeImage | undefined {
  const saves = of.nature === 'state' ? savesOf(of.step, of.want) : undefined;
  if (!saves && !owned) return undefined;
  const { node } = of.ref;
  const script = lines(
    // The manifest's entry and the record become durable together.
    ...(saves ? [saveScript(owned ? STAGE : SAVE, hostKey(run, node), saves)] : []),
    ...(owned ? [sh`${owned} || ${FAILED}`] : []),
  );
  const notKept = (output: Output) => {
    spared();
    return kubexmError('KX4002', { node, reason: 'its before-image could not be kept' }, { detail: tail(output) });
  };
  return {
    script,
    mustBeKept: (output) => {
      if (output?.code === CODE && output.stderr.includes(WORDS)) throw notKept(output);
    },
    guard: (machine) =>
      guarded(machine, async () => {
        // What the step does by itself begins right behind.
        const begin = owned ? [sh`kx_own_begin ${hostKey(run, node)} || ${FAILED}`] : [];
        const output = await machine.run(lines(script, ...begin));
        if (output.code !== 0) throw notKept(output);
      }),
  };
}

/** What a step wants kept, if anything. */
export function savesOf(step: AnyStep, want: unknown): readonly string[] | Script | undefined {
  const saves = step.saves?.(want);
  return saves && !isScript(saves) && saves.length === 0 ? undefined : saves;
}

function guarded(machine: Machine, keep: () => Promise<void>): Host {
  let kept: Promise<void> | undefined;
  const first = () => {
    kept ??= keep();
    return kept;
  };
  return {
    name: machine.name,
    facts: machine.facts,
    run: async (script, options) => {
      await first();
      return await machine.run(script, options);
    },
    write: async (path, content, options) => {
      await first();
      await machine.write(path, content, options);
    },
    put: async (localPath, path, options) => {
      await first();
      await machine.put(localPath, path, options);
    },
    get: async (path, localPath, options) => {
      await first();
      await machine.get(path, localPath, options);
    },
  };
}

function saveScript(save: Script, key: string, saves: readonly string[] | Script): Script {
  if (!isScript(saves)) return sh`${save} ${key} ${saves} || ${FAILED}`;
  return sh`kx_paths=$(
${saves}
) || ${FAILED}
set --
while IFS= read -r kx_path; do set -- "$@" "$kx_path"; done <<KX_PATHS
$kx_paths
KX_PATHS
${save} ${key} "$@" || ${FAILED}
set --`;
}
