import { describe, expect, test } from 'vitest';
import data from '../../../data/kubernetes/feature-gates.json' with { type: 'json' };
import { parseRange } from '../catalog/range.ts';
import { ALWAYS_ON_GATES, gateState, gatesOfVersion, versionsWithGate } from './feature-gates.ts';
import { SUPPORTED_KUBERNETES } from './text.ts';

describe('what is known of feature gates', () => {
  test('reaches up to the newest minor that kubexm installs: scripts/feature-gates.mjs updates it', () => {
    expect(data.upTo).toMatch(new RegExp(String.raw`^1\.${SUPPORTED_KUBERNETES.last}\.`));
  });

  test('is written as ranges', () => {
    const entries = Object.entries<{ readonly known: string; readonly on?: string; readonly off?: string }>(data.gates);
    for (const [gate, { known, on = '*', off = '*' }] of entries) {
      for (const range of [known, on, off]) expect(parseRange(range), `${gate}: ${range}`).toBeDefined();
    }
  });

  test('has gates for every minor', () => {
    for (let minor = SUPPORTED_KUBERNETES.first; minor <= SUPPORTED_KUBERNETES.last; minor += 1) {
      expect(gatesOfVersion(`1.${minor}.0`).length).toBeGreaterThan(150);
    }
  });

  test('knows none of those that are gone', () => {
    for (const gate of Object.keys(ALWAYS_ON_GATES)) expect(versionsWithGate(gate)).toBeUndefined();
  });
});

test.each([
  ['AllAlpha', '1.30.0', 'free'],
  // Beta, then stable and locked, then gone.
  ['SidecarContainers', '1.30.0', 'free'],
  ['SidecarContainers', '1.33.0', 'on'],
  // Came later.
  ['MutableCSINodeAllocatableCount', '1.32.13', 'unknown'],
  ['MutableCSINodeAllocatableCount', '1.33.0', 'free'],
  // Was given to older minors by a patch.
  ['OrderedNamespaceDeletion', '1.32.0', 'unknown'],
  ['OrderedNamespaceDeletion', '1.32.13', 'free'],
  // Not a part of every object.
  ['constructor', '1.34.2', 'unknown'],
  ['NoSuchGate', '1.34.2', 'unknown'],
])('%s in %s is %s', (gate, version, state) => {
  expect(gateState(gate, version)).toBe(state);
});
