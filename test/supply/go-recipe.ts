import { mkdirSync, mkdtempSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Cache, digestOfHex } from '../../src/artifacts/cache/cache.ts';
import { ensure } from '../../src/artifacts/cache/ensure.ts';
import { itemsOf } from '../../src/artifacts/cache/items.ts';
import type { FilesJob } from '../../src/artifacts/cache/types.ts';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import { resolveArtifacts } from '../../src/artifacts/catalog/resolve.ts';
import { askGo } from '../../src/artifacts/sources/go/installed.ts';
import { goSource } from '../../src/artifacts/sources/go-source.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { FileNeed } from '../../src/model/catalog/need.ts';
import type { Arch, Component } from '../../src/model/catalog/schema.ts';

/** The processor of this machine. */
export const ARCH: Arch = process.arch === 'x64' ? 'amd64' : 'arm64';

const cluster = (arch: Arch, kubernetes: string) => `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: recipes}
spec:
  hosts: [{name: node1, address: 10.0.0.1, user: root, privateKeyPath: ~/.ssh/id_rsa, arch: ${arch}}]
  roleGroups: {master: [node1], worker: [node1]}
  kubernetes: {version: v${kubernetes}}
  etcd: {type: kubeadm}
`;

/** The user's cache, in which clusters find what was built before. */
export const CACHE = process.env['XDG_CACHE_HOME'] || join(process.env['HOME'] ?? homedir(), '.cache');

/** A directory on the disk of the cache: what is there already gets a second name in it, and builds need more room than memory has. */
export function besideCache(name: string): string {
  const parent = join(CACHE, 'kubexm', 'test-tools');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${name}-`));
}

/** Why nothing can be built from real sources here; undefined when it can. */
export async function whyNoBuild(dir: string): Promise<string | undefined> {
  const go = await askGo('go', dir, { env: process.env, signal: new AbortController().signal });
  if (go === undefined) return 'needs go 1.21 or later';
  const first = go.settings['GOPROXY']?.split(/[,|]/)[0] ?? '';
  if (!first.startsWith('http')) return 'needs a module proxy';
  const answered = await fetch(`${first}/golang.org/x/mod/@v/v0.30.0.info`, {
    signal: AbortSignal.timeout(5000),
  }).catch(() => undefined);
  return answered === undefined ? 'needs a module proxy that answers' : undefined;
}

/** What builds programs of a component at a version: all of them, or those that are named. As a cluster would ask for it. */
export async function recipeJob(
  component: string,
  version: string,
  arch: Arch = ARCH,
  only?: readonly string[],
): Promise<FilesJob> {
  const kubernetes = component === 'kubernetes' ? version : '1.34.2';
  const loaded = await loadConfig({ text: cluster(arch, kubernetes), file: 'recipes.yaml' });
  if (loaded.cluster === undefined) throw new Error(JSON.stringify(loaded.problems));
  const catalog = await readCatalog();
  const known = catalog.components.get(component);
  if (known === undefined || !known.versions.some((one) => one.version === version))
    throw new Error(`the catalog knows no ${component} ${version}`);
  const components = new Map(catalog.components).set(component, onlyAt(known, version));
  // Kubernetes is in every cluster; the others are asked for beside it.
  const more = component === 'kubernetes' ? [] : [component];
  const needs = resolveArtifacts(loaded.cluster, { ...catalog, components }, '', () => undefined, more);
  const { group, builds } = needs.findLast((need) => need.component === component) ?? needs[0]!;
  const used = builds.map((build) => ({
    ...build,
    programs: Object.fromEntries(Object.entries(build.programs).filter(([name]) => only?.includes(name) ?? true)),
  }));
  const programs = used.flatMap((build) => Object.keys(build.programs));
  return {
    ...{ kind: 'files', component, version, group, optional: false, arch },
    files: programs.map((name) => programFile(name, arch)),
    builds: used.filter((build) => Object.keys(build.programs).length > 0),
  };
}

/** Builds the programs of a job in the source `go`; their files by name. */
export async function builtBy(
  cache: Cache,
  job: FilesJob,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ReadonlyMap<string, string>> {
  const quiet = { progress: () => undefined, say: () => undefined, tell: () => undefined };
  const io = { signal: new AbortController().signal, env, ...quiet };
  const got = await ensure({ cache, sources: [goSource(cache, env)], told: new Set() }, job, {}, io);
  return new Map(itemsOf(job).map(({ id, name }) => [name, cache.store.path(digestOfHex(got.get(id)?.sha256 ?? ''))]));
}

/** The component as if it had this version only, which fits every Kubernetes. */
function onlyAt(component: Component, version: string): Component {
  if (component.component === 'kubernetes') return component;
  return {
    ...component,
    versions: component.versions.filter((one) => one.version === version),
    kubernetes: [{ range: '*', accepts: '*', default: version }],
  };
}

function programFile(name: string, arch: Arch): FileNeed {
  const about = { url: `https://example.org/${name}`, mirrors: [], hosts: ['node1'] };
  return { name, kind: 'binary', file: name, arch, programs: { [name]: name }, ...about };
}
