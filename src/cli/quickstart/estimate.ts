import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ArtifactForecast,
  artifactSeconds,
  checkCluster,
  forecastCluster,
  type Lab,
  labConfig,
  labPlaces,
  workDirOf,
} from '../../index.ts';
import type { Io } from '../io.ts';
import { type Place, QUICKSTART } from './place.ts';

/** What quickstart does, in order. */
export const PHASES = ['lab', 'artifacts', 'cluster', 'check'] as const;

/** One of them. */
export type Phase = (typeof PHASES)[number];

/** Seconds of each. Measured on two cores, rounded up: a guess that is kept is better than a close one. */
export type Estimate = Readonly<Record<Phase, number>>;

const SECONDS = {
  imageOfLab: 90,
  lab: 5,
  machine: 3,
  cluster: 90,
  clusterThere: 5,
  check: 20,
} as const;

/** How long it will take, from what is there already. */
export function estimateOf(
  io: Io,
  place: Place,
  lab: Lab | undefined,
  wanted: { readonly nodes: number; readonly version: string },
  forecast: ArtifactForecast,
): Estimate {
  const { cache } = labPlaces(io.env);
  const hasImage = existsSync(cache) && readdirSync(cache).some((name) => name.startsWith('debian-12-'));
  const fresh = SECONDS.lab + wanted.nodes * SECONDS.machine + (hasImage ? 0 : SECONDS.imageOfLab);
  return {
    lab: lab === undefined ? fresh : 1,
    artifacts: artifactSeconds(forecast),
    cluster: existsSync(workDirOf(place.baseDir, QUICKSTART).kubeconfig) ? SECONDS.clusterThere : SECONDS.cluster,
    check: SECONDS.check,
  };
}

/**
 * What getting the artifacts takes, before there are machines: what they are called does not matter for that. What the check
 * needs comes with the rest.
 */
export async function forecastOf(
  io: Io,
  { baseDir }: Place,
  { nodes, version }: { readonly nodes: number; readonly version: string },
): Promise<ArtifactForecast> {
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-quickstart-'));
  try {
    const machines = Array.from({ length: nodes }, (_, i) => ({
      name: `${QUICKSTART}-${i + 1}`,
      address: `192.0.2.${i + 1}`,
      sshKeyPath: join(dir, 'key'),
    }));
    const configFile = join(dir, 'cluster.yaml');
    writeFileSync(configFile, labConfig({ name: QUICKSTART, user: 'root', machines }, version));
    const { usesArtifacts } = checkCluster;
    const components = typeof usesArtifacts === 'object' ? usesArtifacts : [];
    return await forecastCluster({ configFile, baseDir, env: io.env, components });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
