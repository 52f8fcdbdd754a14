import { inRange } from '../../model/catalog/range.ts';
import type { Component } from '../../model/catalog/schema.ts';
import { compareVersions, parseVersion, plainVersion } from '../../model/catalog/version.ts';
import { kubexmError } from '../../model/errors/index.ts';

/** A version of a component, with what it comes with. */
export type VersionEntry = Component['versions'][number];

/** A version that the configuration names, and where. */
export interface Wanted {
  readonly version: string;
  readonly field: string;
}

/** The version of a component for a version of Kubernetes: the wanted one if it fits, else the default. */
export function chooseVersion(component: Component, kubernetes: string, wanted?: Wanted): VersionEntry {
  const row = component.kubernetes.find((one) => inRange(kubernetes, one.range));
  const version = wanted === undefined ? row?.default : plainVersion(wanted.version);
  const entry = component.versions.find((one) => version !== undefined && compareVersions(one.version, version) === 0);
  const accepts = row?.accepts ?? '*';
  if (entry !== undefined && inRange(entry.version, accepts)) return entry;

  const fitting = component.versions.map((one) => one.version).filter((one) => inRange(one, accepts));
  const params = {
    component: component.title,
    version: version ?? '',
    field: wanted?.field ?? 'spec.kubernetes.version',
    kubernetes,
    suggestion: nearestVersion(version ?? '', fitting) ?? row?.default ?? '-',
  };
  if (entry === undefined) throw kubexmError('KX7003', { ...params, known: newestOfEach(fitting).join(', ') || '-' });
  throw kubexmError('KX7004', { ...params, accepts });
}

/** The version of Kubernetes itself. */
export function chooseKubernetes(component: Component, wanted: Wanted): VersionEntry {
  return chooseVersion(component, plainVersion(wanted.version), wanted);
}

/** The candidate whose numbers are nearest, the first ones first; of two as near the newer one. */
function nearestVersion(wanted: string, candidates: readonly string[]): string | undefined {
  const distances = candidates.map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate) }));
  return distances.toSorted(
    (a, b) =>
      a.distance[0] - b.distance[0] ||
      a.distance[1] - b.distance[1] ||
      a.distance[2] - b.distance[2] ||
      compareVersions(b.candidate, a.candidate),
  )[0]?.candidate;
}

function distanceOf(a: string, b: string): readonly [number, number, number] {
  const [one, other] = [parseVersion(a), parseVersion(b)];
  if (one === undefined || other === undefined) return [0, 0, 0];
  return [Math.abs(one.major - other.major), Math.abs(one.minor - other.minor), Math.abs(one.patch - other.patch)];
}

/** The newest patch of every minor, newest first: enough for a message. */
function newestOfEach(versions: readonly string[]): string[] {
  const newest = new Map<string, string>();
  for (const version of versions) newest.set(version.split('.', 2).join('.'), version);
  return [...newest.values()].toReversed();
}
