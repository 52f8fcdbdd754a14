import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import { resolveArtifacts } from '../../src/artifacts/catalog/resolve.ts';
import { zoneOf } from '../../src/artifacts/catalog/zone.ts';
import { openBlobStore } from '../../src/artifacts/oci/index.ts';
import { goBuild, goBuildSource } from '../../src/artifacts/sources/go/index.ts';
import { makeImage } from '../../src/artifacts/sources/image/index.ts';
import { ownSources } from '../../src/artifacts/sources/own-program.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { ArtifactNeed } from '../../src/model/catalog/need.ts';
import type { CatalogImage } from '../../src/model/catalog/schema.ts';
import { supplyIo } from './image-world.ts';

const CACHE = join(process.env['XDG_CACHE_HOME'] || join(process.env['HOME'] ?? homedir(), '.cache'), 'kubexm');
/** Programs that were built before, by component, version, processor and name. */
const BUILT = join(CACHE, 'work-go');
/** Indexes and packages of Debian, kept between runs. */
const KEPT = join(CACHE, 'test-tools', 'images');
const ARCH = 'amd64';
/** Built in half a minute; the others take minutes. */
const SMALL = new Set(['flannel']);

const CLUSTER = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: images}
spec:
  hosts:
    - {name: node1, address: 10.0.0.1, internalAddress: 10.0.0.1, user: root, privateKeyPath: ~/.ssh/id_rsa}
  roleGroups: {master: [node1], worker: [node1]}
  kubernetes: {version: v1.34.2}
  etcd: {type: kubeadm}
  network: {plugin: flannel}
  addons: [metrics-server]
`;

/** Why an image cannot be made here now; undefined when it can. */
export function whyNot(component: string, programs: readonly string[]): string | undefined {
  if (programs.length === 0 || SMALL.has(component) || process.env['KUBEXM_TEST_THOROUGH']) return undefined;
  const missing = programs.filter((name) => foundProgram(component, name) === undefined);
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')} to be built: KUBEXM_TEST_THOROUGH=1 does that`;
}

/** Makes an image of the catalog into a directory; its reference and where its tar is. */
export async function madeImage(
  component: string,
  name: string,
  dir: string,
): Promise<{ readonly reference: string; readonly file: string }> {
  const catalog = await readCatalog();
  const image = catalog.components
    .get(component)
    ?.images.filter((one) => one.name === name)
    .at(-1) as CatalogImage;
  const made = image.made!;
  const programs: Record<string, string> = {};
  for (const own of made.own) {
    const request = { dir: ownSources(own), program: own, arch: ARCH, ldflags: [] } as const;
    programs[own] = await goBuildSource(request, mkdtempSync(join(dir, 'own-')), kept(), supplyIo());
  }
  for (const program of made.programs)
    programs[program] = foundProgram(component, program) ?? (await built(component, program));
  const store = await openBlobStore(join(dir, 'store'));
  const reference = `${image.repository}:test`;
  const { sha256 } = await makeImage({ made, reference, arch: ARCH, programs }, store, kept(), supplyIo());
  return { reference, file: store.path(`sha256:${sha256}`) };
}

/** A program that was built before, of whatever version. */
export function foundProgram(component: string, program: string): string | undefined {
  const place = join(BUILT, component);
  if (!existsSync(place)) return undefined;
  return readdirSync(place)
    .map((version) => join(place, version, ARCH, program))
    .findLast((file) => existsSync(file));
}

async function built(component: string, program: string): Promise<string> {
  const need = (await needs()).find((one) => one.component === component);
  const build = need?.builds.find((one) => program in one.programs);
  if (need === undefined || build === undefined) throw new Error(`nothing builds ${program}`);
  const out = mkdtempSync(join(kept(), 'built-'));
  try {
    const files = await goBuild({ build, arch: ARCH, programs: Object.keys(build.programs) }, out, kept(), supplyIo());
    const place = join(BUILT, component, need.version ?? '', ARCH);
    mkdirSync(place, { recursive: true });
    for (const [name, file] of Object.entries(files)) renameSync(file, join(place, name));
    return join(place, program);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function needs(): Promise<readonly ArtifactNeed[]> {
  const { cluster, problems } = await loadConfig({ text: CLUSTER, file: 'images.yaml' });
  if (cluster === undefined) throw new Error(JSON.stringify(problems));
  return resolveArtifacts(cluster, await readCatalog(), zoneOf(cluster, {}));
}

function kept(): string {
  mkdirSync(KEPT, { recursive: true });
  return KEPT;
}
