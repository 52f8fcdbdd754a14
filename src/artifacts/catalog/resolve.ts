import type { ArtifactNeed, BuildNeed, FileNeed, ImageNeed } from '../../model/catalog/need.ts';
import {
  ARCHES,
  type Arch,
  type Catalog,
  type CatalogBuild,
  type CatalogDigests,
  type CatalogFile,
  type Component,
  type Zone,
} from '../../model/catalog/schema.ts';
import { plainVersion } from '../../model/catalog/version.ts';
import type { Cluster, ClusterHost } from '../../model/cluster/index.ts';
import { nearest } from '../../model/cluster/nearest.ts';
import { errorTitle, KubexmError, kubexmError } from '../../model/errors/index.ts';
import { appliesTo } from './check.ts';
import { chooseKubernetes, chooseVersion, type VersionEntry } from './choose.ts';
import { fill, type Values, versionValues } from './fill.ts';
import { findComponent } from './find.ts';
import { placesOf } from './images.ts';
import { type Request, requestFor, requestsOf } from './requests.ts';
import { findZone, mirrorUrls } from './zone.ts';

/** The processor of a host that the configuration does not name: what its facts say. */
export type ArchOf = (host: string) => Arch | undefined;

interface Context extends Sources {
  readonly cluster: Cluster;
  readonly archOf: ArchOf;
}

interface Sources {
  readonly zone: Zone | undefined;
  readonly digests: CatalogDigests;
}

/**
 * Everything a cluster needs, of which version, for which hosts and from where. A host whose processor neither the
 * configuration nor `archOf` knows counts as amd64. `more`: components beside, all of each for all nodes.
 */
export function resolveArtifacts(
  cluster: Cluster,
  catalog: Catalog,
  zone: string,
  archOf: ArchOf = () => undefined,
  more: readonly string[] = [],
): readonly ArtifactNeed[] {
  const context: Context = { cluster, zone: findZone(catalog, zone), digests: catalog.digests, archOf };
  const kubernetes = plainVersion(cluster.spec.kubernetes.version);
  const { needs, problems } = resolveRequests(context, catalog, kubernetes);
  refuse(problems);
  const beside = more.map((name) => {
    const component = findComponent(catalog, name);
    // A component that is requested by name is required.
    return { ...resolveRequest(requestFor(cluster, component), component, kubernetes, context), optional: false };
  });
  return [...needs, ...beside];
}

/** Everything that the catalog cannot give for a cluster: versions that it does not have, addons that nobody knows. */
export function catalogProblems(cluster: Cluster, catalog: Catalog, zone: string): readonly KubexmError[] {
  try {
    const context = { cluster, zone: findZone(catalog, zone), digests: catalog.digests, archOf: () => undefined };
    return resolveRequests(context, catalog, plainVersion(cluster.spec.kubernetes.version)).problems;
  } catch (error) {
    if (error instanceof KubexmError) return [error];
    throw error;
  }
}

function resolveRequests(
  context: Context,
  catalog: Catalog,
  kubernetes: string,
): { readonly needs: readonly ArtifactNeed[]; readonly problems: readonly KubexmError[] } {
  const wanted = { version: kubernetes, field: 'spec.kubernetes.version' };
  chooseKubernetes(findComponent(catalog, 'kubernetes'), wanted);
  const problems = unknownAddons(context.cluster, catalog);
  const needs = requestsOf(context.cluster).flatMap((request) => {
    try {
      return [resolveRequest(request, findComponent(catalog, request.component), kubernetes, context)];
    } catch (error) {
      if (!(error instanceof KubexmError)) throw error;
      problems.push(error);
      return [];
    }
  });
  return { needs, problems };
}

/** An addon without a type is one that kubexm knows, or a slip of the keyboard. */
function unknownAddons(cluster: Cluster, catalog: Catalog): KubexmError[] {
  const known = [...catalog.components.values()].filter((one) => one.group === 'addon').map((one) => one.component);
  return cluster.spec.addons
    .filter((addon) => addon.type === undefined && !known.includes(addon.name))
    .map(({ name }) => {
      const suggestion = nearest(name, known) ?? known[0] ?? '-';
      return kubexmError('KX7010', { name, suggestion, known: known.join(', ') });
    });
}

function refuse(problems: readonly KubexmError[]): void {
  const [first] = problems;
  if (first === undefined) return;
  if (problems.length === 1) throw first;
  const detail = problems.map((one) => `${one.code}: ${errorTitle(one.code, one.params, 'en')}`).join('\n');
  throw kubexmError('KX7007', { count: problems.length }, { detail });
}

function resolveRequest(request: Request, component: Component, kubernetes: string, context: Context): ArtifactNeed {
  const { component: name, group, optional, versions, packages } = component;
  const all = [...request.files.values(), ...request.images.values(), request.packages].flat();
  const about = { component: name, group, optional, arches: archesOf(all, context) };
  const byPackage =
    request.packages.length === 0 ? {} : { packages: { names: packages, hosts: namesOf(request.packages) } };
  // Packages have the version that the operating system has; one that is asked for is still checked.
  const bare = request.files.size + request.images.size === 0;
  if (versions.length === 0 || (bare && request.wanted === undefined)) {
    return { ...about, files: [], images: [], builds: [], ...byPackage };
  }
  const entry = chooseVersion(component, kubernetes, request.wanted);
  const files = [...request.files].flatMap(([one, hosts]) => resolveFiles(component, one, entry, hosts, context));
  const images = [...request.images].map(([one, hosts]) => resolveImage(component, one, entry, hosts, context));
  const builds = resolveBuilds(component, entry, files, images);
  const { unbuilt } = component;
  const why = builds.length > 0 || unbuilt === undefined ? {} : { unbuilt };
  return { ...about, version: entry.version, files, images, builds, ...why, ...byPackage };
}

function resolveFiles(
  component: Component,
  name: string,
  entry: VersionEntry,
  hosts: readonly ClusterHost[],
  context: Context,
): FileNeed[] {
  const file = partOf(component, 'files', name, entry);
  if (file.arch.length === 0) return [resolveFile(component, file, undefined, entry, hosts, context)];
  return archesOf(hosts, context).map((arch) => {
    const some = hosts.filter((host) => archOfHost(host, context) === arch);
    if (!file.arch.includes(arch)) throw noSuchArch(component, entry, arch, some, file.arch);
    return resolveFile(component, file, arch, entry, some, context);
  });
}

/** A file of a component for some hosts: what it is called, where it is, what it must be. */
export function resolveFile(
  component: Component,
  file: CatalogFile,
  arch: Arch | undefined,
  entry: VersionEntry,
  hosts: readonly ClusterHost[],
  { zone, digests }: Sources,
): FileNeed {
  const digest = digests[component.component]?.[entry.version]?.[file.name]?.[arch ?? 'any'];
  const bare: Values = {
    ...versionValues(entry),
    ...(arch === undefined ? {} : { arch: file.archNames[arch] ?? arch }),
  };
  const name = fill(file.file, bare);
  const values = { ...bare, file: name };
  const from = fill(file.from, values).replace(/\/?$/, '/');
  const url = from + name;
  const inside = Object.entries(file.programs).map(([program, path]) => [program, fill(path, values)]);
  return {
    name: file.name,
    kind: file.kind,
    file: name,
    ...(arch === undefined ? {} : { arch }),
    url,
    mirrors: mirrorUrls(url, zone),
    ...('none' in file.checksum ? {} : { checksum: placeOf(file.checksum, from, values, zone) }),
    ...(digest === undefined ? {} : { digest }),
    programs: file.kind === 'binary' ? { [file.name]: name } : Object.fromEntries(inside),
    ...(file.inModule === undefined ? {} : { inModule: moduleOf(file.inModule, values) }),
    hosts: namesOf(hosts),
  };
}

function moduleOf(
  { module: path, version, files }: NonNullable<CatalogFile['inModule']>,
  values: Values,
): NonNullable<FileNeed['inModule']> {
  return { module: { path, version: fill(version, values) }, files: files.map((file) => fill(file, values)) };
}

function placeOf(
  checksum: Extract<CatalogFile['checksum'], { readonly file: string }>,
  from: string,
  values: Values,
  zone: Zone | undefined,
): NonNullable<FileNeed['checksum']> {
  const text = fill(checksum.file, values);
  const url = text.startsWith('https://') ? text : from + text;
  return { url, mirrors: mirrorUrls(url, zone), form: checksum.form };
}

function resolveImage(
  component: Component,
  name: string,
  entry: VersionEntry,
  hosts: readonly ClusterHost[],
  context: Context,
): ImageNeed {
  const image = partOf(component, 'images', name, entry);
  const arches = archesOf(hosts, context);
  const missing = arches.find((arch) => !image.arch.includes(arch));
  if (missing !== undefined) {
    const some = hosts.filter((host) => archOfHost(host, context) === missing);
    throw noSuchArch(component, entry, missing, some, image.arch);
  }
  const tag = fill(image.tag, versionValues(entry));
  const { mirrors, reference } = placesOf(image, context.cluster, context.zone);
  return {
    name,
    upstream: `${image.repository}:${tag}`,
    mirrors: mirrors.map((mirror) => `${mirror}:${tag}`),
    reference: `${reference}:${tag}`,
    arches,
    hosts: namesOf(hosts),
    ...(image.made === undefined ? {} : { made: image.made }),
  };
}

function resolveBuilds(
  component: Component,
  entry: VersionEntry,
  files: readonly FileNeed[],
  images: readonly ImageNeed[],
): BuildNeed[] {
  const arches = new Map<string, Set<Arch>>();
  const want = (program: string, some: readonly Arch[]): void => {
    arches.set(program, new Set([...(arches.get(program) ?? []), ...some]));
  };
  for (const file of files) {
    for (const program of Object.keys(file.programs)) want(program, file.arch === undefined ? [] : [file.arch]);
  }
  for (const image of images) for (const program of image.made?.programs ?? []) want(program, image.arches);
  return component.builds
    .filter((recipe) => appliesTo(recipe, entry.version))
    .flatMap((recipe) => {
      const programs = Object.entries(recipe.programs).filter(([name]) => arches.has(name));
      if (programs.length === 0) return [];
      const used = new Set(programs.flatMap(([name]) => [...(arches.get(name) ?? [])]));
      return [
        buildOf(
          recipe,
          entry,
          Object.fromEntries(programs),
          ARCHES.filter((arch) => used.has(arch)),
        ),
      ];
    });
}

function buildOf(
  recipe: CatalogBuild,
  entry: VersionEntry,
  programs: Readonly<Record<string, string>>,
  arches: readonly Arch[],
): BuildNeed {
  const values = versionValues(entry);
  const { style, cgo, needs, tags, cost, without, replace } = recipe;
  const version = fill(recipe.moduleVersion, values);
  return {
    style,
    modules: recipe.modules.map((path) => ({ path, version })),
    programs,
    arches,
    cgo,
    needs,
    tags,
    ldflags: recipe.ldflags.map((flag) => fill(flag, values)),
    ...(cost === undefined ? {} : { cost }),
    ...(without.length === 0 ? {} : { without }),
    ...(replace === undefined ? {} : { replace: { ...replace, by: fill(replace.by, values) } }),
  };
}

function partOf<Key extends 'files' | 'images'>(
  component: Component,
  key: Key,
  name: string,
  entry: VersionEntry,
): Component[Key][number] {
  const found = component[key].find((one) => one.name === name && appliesTo(one, entry.version));
  if (found !== undefined) return found;
  throw kubexmError('KX7001', {
    file: `${component.component}.yaml`,
    detail: `${key}: ${name} is missing for version ${entry.version}`,
  });
}

function noSuchArch(
  component: Component,
  entry: VersionEntry,
  arch: Arch,
  hosts: readonly ClusterHost[],
  arches: readonly Arch[],
): KubexmError {
  const names = namesOf(hosts).slice(0, 5).join(', ');
  const { title } = component;
  return kubexmError('KX7005', {
    component: title,
    version: entry.version,
    arch,
    hosts: hosts.length > 5 ? `${names} …` : names,
    arches: arches.join(', '),
  });
}

function archesOf(hosts: readonly ClusterHost[], context: Context): readonly Arch[] {
  const found = new Set(hosts.map((host) => archOfHost(host, context)));
  return ARCHES.filter((arch) => found.has(arch));
}

function archOfHost(host: ClusterHost, { archOf }: Context): Arch {
  return host.arch ?? archOf(host.name) ?? 'amd64';
}

function namesOf(hosts: readonly ClusterHost[]): readonly string[] {
  return hosts.map((host) => host.name);
}
