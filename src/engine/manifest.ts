import { createHash } from 'node:crypto';
import type { Effect } from '../model/effect.ts';
import { LOCAL } from '../model/host.ts';
import type { Json } from '../model/json.ts';
import type { ManifestChange } from '../model/manifest.ts';
import { lines, type Script, sh } from '../model/script.ts';
import { type AnyStep, fieldOf, type Verdict } from '../plan/step.ts';
import { savesOf } from './before-image.ts';
import { hostKey } from './keys.ts';
import { isScript, timeoutOf, type Work } from './perform.ts';

/** Whose manifests a run writes. */
export interface ManifestOptions {
  readonly uid: string;
  readonly cluster: string;
  /** Takes secrets out of what is written down. */
  readonly mask: (value: Json) => Json;
  /** Called before a host is changed, which waits for it. */
  readonly touches: (host: string) => Promise<void>;
}

/** What goes before a change and behind it, so that the manifest knows of it. */
export interface Owning {
  /** Makes the entry, durably; fails where it cannot. */
  readonly begin: Script;
  /** Notes what was left. Never fails. */
  readonly end: Script;
  /** The change itself, with the note behind it however it ends. */
  around(work: Script): Script;
}

/** A change may be stopped a little after its time. */
const SLACK_SECONDS = 10;

/** How a change is recorded in the manifest; undefined where there is none: on the local machine, or for a run that owns nothing. */
export function owning(
  options: { readonly run: string; readonly manifest?: ManifestOptions | undefined },
  of: Work & { readonly checkWant: unknown; readonly nature: string },
  verdict: Verdict<unknown, unknown> | undefined,
): Owning | undefined {
  const { manifest, run } = options;
  if (!manifest || of.nature !== 'state' || of.machine.name === LOCAL) return undefined;
  const key = hostKey(run, of.ref.node);
  const change = changeOf(run, of, verdict);
  const meta = JSON.stringify(manifest.mask(JSON.parse(JSON.stringify(change)) as Json));
  const saves = savesOf(of.step, of.want);
  // The library would need a program to make this out of a path's record.
  const paths = !saves || isScript(saves) ? [] : saves.map((path) => `p ${idOf(`${path}\n`)}`);
  const names = change.names.map((name) => `n ${idOf(name)}`);
  const effects = change.effects.map((effect) => `e ${idOf(`effect ${effectWords(effect)}`)} ${effectWords(effect)}`);
  const seconds = Math.ceil(timeoutOf(of.step, of.want)) + SLACK_SECONDS;
  return {
    begin: sh`kx_own ${key} ${manifest.uid} ${manifest.cluster} ${meta} ${seconds} ${[...paths, ...names, ...effects]}`,
    end: sh`kx_own_end ${key} || :`,
    around: (work) => sh`kx_owning ${key} ${work.script}`,
  };
}

/** What forgets a change that was put back: its entry in the manifest, then its before-image. */
export function forgetting(
  options: { readonly run: string; readonly manifest?: ManifestOptions | undefined },
  node: string,
  host: string,
  step: AnyStep | undefined,
): Script | undefined {
  const key = hostKey(options.run, node);
  const owned = options.manifest && host !== LOCAL ? [sh`kx_disown ${key}`] : [];
  const scripts = [...owned, ...(step?.saves ? [sh`kx_undo_drop ${key}`] : [])];
  return scripts.length === 0 ? undefined : lines(...scripts);
}

function changeOf(
  run: string,
  of: Work & { readonly checkWant: unknown },
  verdict: Verdict<unknown, unknown> | undefined,
): ManifestChange {
  const { step, checkWant: want, ref } = of;
  const irreversible = fieldOf(step.irreversible, want, undefined);
  const itself = step.revert || !savesOf(step, of.want) ? [`${step.kind}:${step.title(want)}`] : [];
  return {
    node: ref.node.slice(0, ref.node.lastIndexOf('@')),
    run,
    at: new Date().toISOString(),
    kind: step.kind,
    title: ref.title,
    ...(ref.mark === undefined ? {} : { mark: ref.mark }),
    names: step.owns?.(want) ?? itself,
    effects: step.effects?.(want) ?? [],
    ...(step.revert ? { want: want as Json } : {}),
    ...(step.revert && verdict && 'seen' in verdict ? { before: verdict.seen as Json } : {}),
    ...(irreversible === undefined ? {} : { irreversible }),
  };
}

/** The name of a resource in the manifest's index. */
function idOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/** An effect as the host's library takes it: its type and its values, in the order in which the type declares them. */
export function effectWords(effect: Effect): string {
  const { type, ...named } = effect;
  // By name: a literal may give its fields in any order, and every type declares them sorted.
  const values = Object.entries(named)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
  // An empty prefix would match everything.
  if (values.some((value) => value === '' || value.includes('\n'))) {
    throw new TypeError(`an effect needs a name: ${JSON.stringify(effect)}`);
  }
  return [type, ...values].join(' ');
}
