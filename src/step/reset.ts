import { isUnitFile } from '../host/os/service.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Host, Output } from '../model/host.ts';
import type { ManifestEntry } from '../model/manifest.ts';
import { lines, type Script, sh } from '../model/script.ts';
import { MASK } from '../model/text/mask.ts';
import { type AnyStep, dedicated, defineStep, fieldOf, needed, satisfied } from '../plan/step.ts';
import { genericSteps } from './generic/index.ts';

const DEFAULT_TIMEOUT = 60;
const PATHS_TIMEOUT = 600;
/** How the output of a revert tells that something was left alone: others use it, or it is theirs. */
const STAYS = /\bstays\b/;

/** Keeps what somebody else has changed; runs before anything is touched. */
function keeping(seq: string): Script {
  return sh`kx_reset_keep ${seq} "$(date +%Y%m%d)" || exit`;
}

/** Puts the paths back and takes away what others made, once the change itself is undone. */
function restoring(seq: string): Script {
  return sh`kx_reset_effects ${seq} "$(date +%Y%m%d)" && kx_reset_paths ${seq} || exit`;
}

/** The entry goes last: until then all of this can be done again. */
function dropping(seq: string, left: readonly string[]): Script {
  return lines(...left.map((text) => sh`kx_reset_left ${text} || exit`), sh`kx_reset_drop ${seq}`);
}

/** Undoes entries of a manifest. `more`: kinds of steps beside the generic ones. */
function undoEntry(more: readonly AnyStep[]) {
  const known = new Map([...genericSteps, ...more].map((step) => [step.kind, step]));
  const timeoutOf = (want: ManifestEntry) =>
    want.want === undefined ? 0 : fieldOf(known.get(want.kind)?.timeoutSeconds, want.want, DEFAULT_TIMEOUT);
  return defineStep<ManifestEntry>()({
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
    apply: (host, want) => {
      if (want.want !== undefined && want.irreversible === undefined)
        return byRevert(host, want, known.get(want.kind), timeoutOf(want));
      const left = want.irreversible === undefined ? [] : [`${want.title} stays: ${want.irreversible}`];
      return lines(keeping(want.seq), restoring(want.seq), dropping(want.seq, left));
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

/** A step that knows itself how to put back what it had found. */
async function byRevert(
  host: Host,
  entry: ManifestEntry,
  step: AnyStep | undefined,
  timeoutSeconds: number,
): Promise<void> {
  const { seq, want, before, node } = entry;
  if (!step?.revert) throw kubexmError('KX8104', { node, kind: entry.kind });
  const failed = (output: Output) =>
    kubexmError('KX8105', { node, reason: lastLine(output) }, { detail: output.stderr });
  const must = async (script: Script, seconds: number): Promise<void> => {
    const output = await host.run(script, { timeoutSeconds: seconds });
    if (output.code !== 0) throw failed(output);
  };
  await must(keeping(seq), PATHS_TIMEOUT);
  const work = step.revert(host, want, before);
  let left: readonly string[] = [];
  if ('script' in work && work.script.includes(MASK)) {
    left = [`${entry.title} stays: undoing it needs a secret, which is never kept`];
  } else if ('script' in work) {
    const output = await host.run(work, { timeoutSeconds });
    if (output.code !== 0 && !STAYS.test(lastLine(output))) throw failed(output);
    left = `${output.stdout}\n${output.stderr}`.split('\n').filter((line) => STAYS.test(line));
  } else {
    await work;
  }
  await must(lines(restoring(seq), dropping(seq, left)), PATHS_TIMEOUT);
}

function lastLine(output: Output): string {
  const text = output.stderr.trimEnd() || output.stdout.trimEnd();
  return text.split('\n').at(-1) || `exit code ${output.code}`;
}

/** What is left of a cluster on a machine when all its changes are undone. */
interface Traces {
  readonly uid: string;
  /** Unit files were among the changes. */
  readonly units: boolean;
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
    for (const text of tellings(told.stdout)) io.say(`${host.name}: ${text}`);
    const output = await host.run(sh`kx_reset_end ${want.uid} ${want.units ? 'units' : ''}`, {
      timeoutSeconds: PATHS_TIMEOUT,
    });
    if (output.code !== 0)
      throw kubexmError('KX8105', { node: 'manifest', reason: lastLine(output) }, { detail: output.stderr });
  },
  example: { uid: '11111111-2222-3333-4444-555555555555', units: true },
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
    undo: dedicated('undo', undo, 'Undo one change, as it was before the cluster.', (entry: ManifestEntry) =>
      undo(entry),
    ),
    forget: dedicated('traces', traces, 'Remove the manifest and every trace of kubexm.', (want: Traces) =>
      traces(want),
    ),
  };
}

/** Whether undoing these entries takes units away or puts them back, which the service manager has to be told. */
export function hasUnits(entries: readonly ManifestEntry[]): boolean {
  return entries.some((entry) => entry.paths.some(({ path }) => isUnitFile(path)));
}
