import data from '../../../data/kubernetes/feature-gates.json' with { type: 'json' };
import { inRange } from '../catalog/range.ts';

/** Gates that seeds name and that no supported version knows any more: since when they are always on. */
export const ALWAYS_ON_GATES: Readonly<Record<string, string>> = {
  CSIStorageCapacity: '1.24',
  ExpandCSIVolumes: '1.24',
  TTLAfterFinished: '1.23',
};

/** The gates that components still know: a kubelet does not start with an unknown one. */
export function livingGates(gates: Readonly<Record<string, boolean>>): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Object.entries(gates).filter(([gate]) => !Object.hasOwn(ALWAYS_ON_GATES, gate)));
}

/** What a version says about a gate: it is free to be set, always on, always off, or unknown. */
export type GateState = 'free' | 'on' | 'off' | 'unknown';

/** Ranges of versions: those that know the gate, and those in which it is locked. */
interface Gate {
  readonly known: string;
  readonly on?: string;
  readonly off?: string;
}

const GATES: ReadonlyMap<string, Gate> = new Map(Object.entries<Gate>(data.gates));

/** What a version of Kubernetes, without its `v`, says about a gate. */
export function gateState(gate: string, version: string): GateState {
  const entry = GATES.get(gate);
  if (entry === undefined || !inRange(version, entry.known)) return 'unknown';
  if (entry.on !== undefined && inRange(version, entry.on)) return 'on';
  return entry.off !== undefined && inRange(version, entry.off) ? 'off' : 'free';
}

/** The versions that know a gate, as a range; undefined if none does. */
export function versionsWithGate(gate: string): string | undefined {
  return GATES.get(gate)?.known;
}

/** All gates that a version of Kubernetes knows. */
export function gatesOfVersion(version: string): readonly string[] {
  return [...GATES].filter(([, { known }]) => inRange(version, known)).map(([gate]) => gate);
}
