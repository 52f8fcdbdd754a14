import type { Arch, CatalogBuild, CatalogFile, Component, MadeImage } from './schema.ts';

/** Where a file's digest is published. */
export interface ChecksumPlace {
  readonly url: string;
  /** The same file on the zone's mirrors. */
  readonly mirrors: readonly string[];
  readonly form: 'digest' | 'sums';
}

/** One file that hosts need. */
export interface FileNeed {
  /** Its name in the catalog: the same for all processors. */
  readonly name: string;
  readonly kind: CatalogFile['kind'];
  /** Its name upstream. */
  readonly file: string;
  /** Unset: the same for all processors. */
  readonly arch?: Arch;
  readonly url: string;
  /** The same file on the zone's mirrors, best first. */
  readonly mirrors: readonly string[];
  /** Unset: upstream publishes none; the digest is pinned when the file is first fetched. */
  readonly checksum?: ChecksumPlace;
  /** What the project publishes, where the catalog knows it: `sha256:<hex>` or `sha512:<hex>`. */
  readonly digest?: `${'sha256' | 'sha512'}:${string}`;
  /** Programs by name, and where they lie in an archive; a binary is its own program. */
  readonly programs: Readonly<Record<string, string>>;
  /** The same content in files of a Go module. */
  readonly inModule?: { readonly module: GoModule; readonly files: readonly string[] };
  /** Hosts that get it, in the order of the configuration. */
  readonly hosts: readonly string[];
}

/** One image that hosts need. */
export interface ImageNeed {
  readonly name: string;
  /** Where the project publishes it. */
  readonly upstream: string;
  /** The same image on the zone's mirrors, best first. */
  readonly mirrors: readonly string[];
  /** How manifests and runtimes name it in this cluster. */
  readonly reference: string;
  readonly arches: readonly Arch[];
  readonly hosts: readonly string[];
  /** How kubexm makes one that does the same. */
  readonly made?: MadeImage;
}

/** A module at a version. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
}

/** How the programs that are needed are built: several of them in one go. */
export interface BuildNeed {
  readonly style: CatalogBuild['style'];
  /** The first one has the sources. */
  readonly modules: readonly GoModule[];
  /** Programs by name, and their packages. */
  readonly programs: Readonly<Record<string, string>>;
  readonly arches: readonly Arch[];
  readonly cgo: boolean;
  readonly needs: readonly string[];
  readonly tags: readonly string[];
  readonly ldflags: readonly string[];
  /** What it takes from nothing, measured. */
  readonly cost?: { readonly cpuSeconds: number; readonly megabytes: number };
  /** Files of the first module that are left out. */
  readonly without?: readonly string[];
  readonly replace?: { readonly modules: string; readonly at: string; readonly by: string };
}

/** Packages of the operating system that hosts need. */
export interface PackageNeed {
  readonly names: Component['packages'];
  readonly hosts: readonly string[];
}

/** What a cluster needs of one component. */
export interface ArtifactNeed {
  readonly component: string;
  readonly group: Component['group'];
  /** The cluster works without it: where no source has it, that is a warning. */
  readonly optional: boolean;
  /** Unset: the one that the operating system has. */
  readonly version?: string;
  /** Processors of all hosts that need something of it. */
  readonly arches: readonly Arch[];
  readonly files: readonly FileNeed[];
  readonly images: readonly ImageNeed[];
  /** Empty: it cannot be built from source, or nothing of it is built. */
  readonly builds: readonly BuildNeed[];
  /** Why it cannot be built from source. */
  readonly unbuilt?: string;
  readonly packages?: PackageNeed;
}
