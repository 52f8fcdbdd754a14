import {
  type ArtifactForecast,
  type ArtifactWant,
  artifactKind,
  type ForecastRequest,
  type MissingHere,
} from '../artifacts/handles/index.ts';
import type { Selection } from '../engine/options.ts';
import { roleFinder } from '../engine/selection.ts';
import { boxPackages, boxSystem, installCommand, type System } from '../host/index.ts';
import { type KubexmError, kubexmError } from '../model/errors/index.ts';
import type { ExecutionGraph } from '../plan/graph.ts';

/** The artifacts that a run gets, without those that it leaves out. Unset: none. */
export function artifactRequest(graph: ExecutionGraph, selection: Selection): ForecastRequest | undefined {
  const roleOf = roleFinder(graph, selection);
  const wants: ArtifactWant[] = [];
  for (let i = 0; i < graph.size; i++) {
    const use = graph.use(i);
    if (use?.step.kind === artifactKind && roleOf(i) === 'run') wants.push(use.want as ArtifactWant);
  }
  const [first] = wants;
  if (first === undefined) return undefined;
  const { workDir, cacheDir, sources } = first;
  const lock = Object.fromEntries(wants.flatMap((want) => Object.entries(want.lock)));
  return { jobs: wants.map(({ job }) => job), workDir, cacheDir, sources, lock };
}

/**
 * Why a run must not begin: something comes from no source, or this machine lacks something. Then the error lists everything that it
 * lacks and the one command that installs it. Unset where nothing stands in the way.
 */
export function prerequisiteError(
  { nowhere, missing, full }: Pick<ArtifactForecast, 'nowhere' | 'missing' | 'full'>,
  system: System = boxSystem(),
  isRoot: boolean = process.getuid?.() === 0,
): KubexmError | undefined {
  if (nowhere !== undefined) return nowhere;
  if (missing.length + full.length === 0) return undefined;
  const { packages, without } = boxPackages(
    system,
    missing.map(({ need }) => need),
  );
  const lines = [
    ...missing.map((one) => lineOf(one, without.includes(one.need))),
    ...full.map(
      ({ path, neededBytes, freeBytes }) => `${path}: ${gib(freeBytes)} free, about ${gib(neededBytes)} needed`,
    ),
  ];
  const detail = { detail: lines.join('\n') };
  const names = missing.map(({ need }) => need).join(', ');
  if (without.length > 0) return kubexmError('KX7043', { missing: without.join(', ') }, detail);
  if (missing.length > 0)
    return kubexmError('KX7042', { missing: names, command: installCommand(system, packages, isRoot) }, detail);
  const [first] = full;
  const room = { path: first?.path ?? '', needed: gib(first?.neededBytes ?? 0), free: gib(first?.freeBytes ?? 0) };
  return kubexmError('KX7044', room, detail);
}

function lineOf({ need, arch, by, reason }: MissingHere, isWithout: boolean): string {
  const what = arch === undefined ? need : `${need} (${arch})`;
  const why = reason ?? (isWithout ? 'no package of this system has it' : undefined);
  return `${what}: for ${by.join(', ')}${why === undefined ? '' : ` (${why})`}`;
}

function gib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
