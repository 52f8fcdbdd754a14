import { unitOfFile } from '../host/os/service.ts';
import { KubexmError, kubexmError } from '../model/errors/index.ts';
import type { Host, Output } from '../model/host.ts';
import type { ManifestEntry } from '../model/manifest.ts';
import { LEFT_CODE } from '../model/report.ts';
import { lines, type Script, sh } from '../model/script.ts';
import { MASK } from '../model/text/mask.ts';
import { type AnyStep, dedicated, defineStep, fieldOf, needed, type StepIo, satisfied } from '../plan/step.ts';
import { genericSteps } from './generic/index.ts';
import { homeDirectory } from './kubeconfig/home-directory.ts';

const DEFAULT_TIMEOUT = 60;
const PATHS_TIMEOUT = 600;

/** A change to undo. */
interface Undo extends ManifestEntry {
  /** Parts that cannot be undone stay as they are, are reported, and belong to nobody from then on. */
  readonly leave?: true;
  /** The whole cluster goes. What reverts finds `$KX_WHOLE` set, and asks nothing of the cluster any more. */
  readonly whole?: true;
}

/** Keeps what somebody else has changed; runs before anything is touched. */
function keeping(seq: string): Script {
  return sh`kx_reset_keep ${seq} || exit`;
}

/** Puts the paths back and takes away what others made, once the change itself is undone. */
function restoring(seq: string): Script {
  return sh`kx_reset_effects ${seq} && kx_reset_paths ${seq} || exit`;
}

/** The entry goes last: until then all of this can be done again. */
function dropping(seq: string, left: readonly string[]): Script {
  return lines(...left.map((text) => sh`kx_reset_left ${text} || exit`), sh`kx_reset_drop ${seq}`);
}

/** The kinds of steps that know how to put back what they did: all generic ones, and dedicated ones that have an entry of their own. */
export const undoable: readonly AnyStep[] = [...genericSteps, homeDirectory.definition];

/** Undoes entries of a manifest. `more`: kinds of steps beside these. */
function undoEntry(more: readonly AnyStep[]) {
  const known = new Map([...undoable, ...more].map((step) => [step.kind, step]));
  const timeoutOf = (want: ManifestEntry) =>
    want.want === undefined ? 0 : fieldOf(known.get(want.kind)?.timeoutSeconds, want.want, DEFAULT_TIMEOUT);
  return defineStep<Undo>()({
    kind: 'undoEntry',
    description: 'Undoes one change of the manifest; what somebody else changed since is kept beside.',
    title: (want) => `undo ${want.title}`,
    timeoutSeconds: (want) => timeoutOf(want) + 3 * PATHS_TIMEOUT,
    probe: (want) => sh`kx_reset_look ${want.seq}`,
    judge: (output, want) => {
      if (output.code === 0 && output.stdout === '') return satisfied();
      const theirs = output.stdout.split('\n').flatMap((line) => (line.startsWith('changed ') ? [line.slice(8)] : []));
      return needed({ theirs }, diffOf(want, new Set(theirs)));
    },
    apply: (host, want, io) => {
      const revert = reverts(want) ? () => reverting(host, want, known.get(want.kind), timeoutOf(want)) : undefined;
      if (want.leave) return leaving(host, want, revert, io);
      if (revert) return byRevert(host, want, known.get(want.kind), revert);
      return lines(keeping(want.seq), restoring(want.seq), dropping(want.seq, irreversibly(want)));
    },
    example: {
      seq: '000001',
      node: 'host/prepare/motd',
      run: '20250101-000000-abcdef',
      at: '2025-01-01T00:00:00.000Z',
      kind: 'file',
      title: 'file /etc/motd',
      names: [],
      effects: [],
      paths: [{ path: '/etc/motd', existed: true }],
    },
  });
}

function diffOf(want: ManifestEntry, theirs: ReadonlySet<string>) {
  const paths = want.paths.map(({ path, existed }) => ({
    what: path,
    ...(theirs.has(path) ? { from: 'changed by somebody else: kept beside' } : {}),
    to: existed ? 'as it was before' : 'removed',
  }));
  const to = want.irreversible === undefined ? 'as it was before' : `stays: ${want.irreversible}`;
  const names = want.names.map((what) => ({ what, to }));
  const effects = want.effects.map((effect) => ({ what: Object.values(effect).join(' '), to: 'removed if it is new' }));
  return [...paths, ...names, ...effects];
}

/** Whether a step knows itself how to put back what it had found. */
function reverts(entry: Undo): boolean {
  return entry.want !== undefined && entry.irreversible === undefined;
}

function irreversibly(entry: Undo): readonly string[] {
  return entry.irreversible === undefined ? [] : [`${entry.title} stays: ${entry.irreversible}`];
}

/** Undoes with the step's own revert in the middle. */
async function byRevert(
  host: Host,
  entry: Undo,
  step: AnyStep | undefined,
  revert: () => Promise<readonly string[]>,
): Promise<void> {
  mustKnow(entry, step);
  await must(host, entry, keeping(entry.seq));
  const left = await revert();
  await must(host, entry, lines(restoring(entry.seq), dropping(entry.seq, left)));
}

/** Undoes what can be undone. The rest is noted with the reason, and the entry goes. */
async function leaving(
  host: Host,
  entry: Undo,
  revert: (() => Promise<readonly string[]>) | undefined,
  io: StepIo,
): Promise<void> {
  const { seq } = entry;
  const left = [...irreversibly(entry)];
  const attempt = async (work: () => Promise<readonly string[]>): Promise<boolean> => {
    try {
      left.push(...(await work()));
      return true;
    } catch (error) {
      if (io.signal.aborted || isAway(error)) throw error;
      left.push(`${entry.title} stays: ${reasonOf(error)}`);
      return false;
    }
  };
  const run = (script: Script) =>
    attempt(async () => {
      await must(host, entry, script);
      return [];
    });
  // Where others' work cannot be kept, nothing is put in its place.
  if (await run(keeping(seq))) {
    if (revert) await attempt(revert);
    await run(sh`kx_reset_effects ${seq}`);
    await run(sh`kx_reset_paths ${seq} leave`);
  }
  await must(host, entry, dropping(seq, left));
}

/** Whether it failed because the machine cannot be worked on at all, not because of what was to be done there. */
function isAway(error: unknown): boolean {
  return error instanceof KubexmError && error.code.startsWith('KX3') && error.code !== 'KX3030';
}

function reasonOf(error: unknown): string {
  if (error instanceof KubexmError && typeof error.params['reason'] === 'string') return error.params['reason'];
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

/** Puts back what a step had found, by its own means. Returns what it reports as left. */
async function reverting(
  host: Host,
  entry: Undo,
  step: AnyStep | undefined,
  timeoutSeconds: number,
): Promise<readonly string[]> {
  const work = mustKnow(entry, step)(host, entry.want, entry.before);
  if (!('script' in work)) {
    await work;
    return [];
  }
  if (work.script.includes(MASK)) return [`${entry.title} stays: undoing it needs a secret, which is never kept`];
  const script = entry.whole ? lines(sh`export KX_WHOLE=yes`, work) : work;
  const output = await host.run(script, { timeoutSeconds });
  const left = (output.reports ?? []).map(({ text }) => text);
  if (output.code !== 0 && !(output.code === LEFT_CODE && left.length > 0)) throw failed(entry, output);
  return left;
}

function mustKnow({ node, kind }: Undo, step: AnyStep | undefined): NonNullable<AnyStep['revert']> {
  if (!step?.revert) throw kubexmError('KX8104', { node, kind });
  return step.revert;
}

async function must(host: Host, entry: Undo, script: Script): Promise<void> {
  const output = await host.run(script, { timeoutSeconds: PATHS_TIMEOUT });
  if (output.code !== 0) throw failed(entry, output);
}

function failed({ node }: Undo, output: Output): Error {
  return kubexmError('KX8105', { node, reason: lastLine(output) }, { detail: output.stderr });
}

function lastLine(output: Output): string {
  const text = output.stderr.trimEnd() || output.stdout.trimEnd();
  return text.split('\n').at(-1) || `exit code ${output.code}`;
}

/** What is left of a cluster on a machine when all its changes are undone. */
interface Traces {
  readonly uid: string;
  /** Units whose files were among the changes. */
  readonly units: readonly string[];
}

const traces = defineStep<Traces>()({
  kind: 'traces',
  description: 'Removes the manifest and every trace of kubexm; tells what was kept.',
  title: () => 'the manifest and all traces of kubexm',
  timeoutSeconds: PATHS_TIMEOUT,
  probe: () => sh`kx_reset_rest`,
  judge: (output) => {
    const rest = output.stdout.trim().split('\n');
    if (output.code === 0 && !rest.includes('state') && !rest.includes('jobs')) return satisfied();
    const names = [
      ...(rest.includes('state') ? ['manifest'] : []),
      ...(rest.includes('jobs') ? ['records of jobs'] : []),
    ];
    return needed(
      { rest },
      names.map((what) => ({ what, to: 'removed' })),
    );
  },
  apply: async (host, want, io): Promise<void> => {
    const told = await host.run(sh`kx_reset_told`);
    for (const text of tellings(told.stdout)) io.report({ type: 'left', text });
    const output = await host.run(sh`kx_reset_end ${want.uid} ${want.units}`, {
      timeoutSeconds: PATHS_TIMEOUT,
    });
    if (output.code !== 0)
      throw kubexmError('KX8105', { node: 'manifest', reason: lastLine(output) }, { detail: output.stderr });
  },
  example: { uid: '11111111-2222-3333-4444-555555555555', units: ['kubelet.service'] },
});

/** What `kx_reset_told` printed, for people. */
export function tellings(text: string): readonly string[] {
  const [kept = '', left = ''] = text.split(/^--\n/m);
  const words = kept.split('\n').slice(0, -1);
  const pairs = words.flatMap((path, i) =>
    i % 2 === 0 ? [`${path} was changed by somebody else: kept as ${words[i + 1]}`] : [],
  );
  const stays = left.split('\n').filter((line) => line !== '');
  return [...new Set([...pairs, ...stays])];
}

/** The dedicated steps of `reset`. `more`: kinds of steps beside the generic ones that entries may be of. */
export function resetSteps(more: readonly AnyStep[]) {
  const undo = undoEntry(more);
  return {
    undo: dedicated('undo', undo, 'Undo one change, as it was before the cluster.', (entry: Undo) => undo(entry)),
    forget: dedicated('traces', traces, 'Remove the manifest and every trace of kubexm.', (want: Traces) =>
      traces(want),
    ),
  };
}

/** The units that undoing these entries takes away, changes or puts back, which the service manager has to reload. */
export function unitsOf(entries: readonly ManifestEntry[]): readonly string[] {
  const names = entries.flatMap((entry) => entry.paths.flatMap(({ path }) => unitOfFile(path) ?? []));
  return [...new Set(names)].toSorted();
}
