import { z } from 'zod';
import { isPackageName, isRegistryHost } from '../cluster/names.ts';
import { parseRange } from './range.ts';
import { parseVersion, plainVersion } from './version.ts';

/** Processors that kubexm installs on. */
export const ARCHES = ['amd64', 'arm64'] as const;

/** A processor as Kubernetes names it. */
export type Arch = (typeof ARCHES)[number];

const text = () => z.string().regex(/^\S(.*\S)?$/, 'is empty, or begins or ends with a space');
const name = () => z.string().regex(/^[a-z0-9][a-z0-9.-]*$/, 'is no name in lower case');
const version = () =>
  z.string('is no text: put the version in quotes').refine(isPlainVersion, 'is no version without a v');
const range = () => z.string().refine((value) => parseRange(value) !== undefined, 'is no range of versions');
const httpsUrl = () => z.string().regex(/^https:\/\/[^\s]+$/, 'is no https address');
const repository = () => z.string().refine(isRepository, 'is no repository with its registry');
const packageName = () => z.string().refine(isPackageName, 'is no name of a package');
/** Inside an image. */
const path = () => z.string().refine(isImagePath, 'is no path from the root without dots');
const list = <S extends z.ZodType>(item: S) => z.array(item).default([]);

/** Only for these versions of the component. Default: all. */
const only = { versions: range().optional() };

const entry = z.preprocess(
  (value) => (typeof value === 'object' && value !== null ? value : { version: value }),
  z.strictObject({ version: version(), with: z.record(z.string().regex(/^[a-z][A-Za-z]*$/), text()).default({}) }),
);

const row = z.strictObject({
  /** Versions of Kubernetes that this row is about. */
  range: range(),
  /** Versions of the component that fit them. */
  accepts: range(),
  /** The one that is taken where the configuration names none. */
  default: version(),
});

const checksum = z.union(
  [
    z.strictObject({
      /** Beside the file, or an address of its own. */
      file: text(),
      /** digest: nothing but the digest. sums: lines as sha256sum writes them. */
      form: z.enum(['digest', 'sums']),
    }),
    /** Why there is none: the digest is then pinned when the file is first fetched. */
    z.strictObject({ none: text() }),
  ],
  'is neither a file with its form nor the reason why there is none',
);

const file = z.strictObject({
  name: name(),
  ...only,
  kind: z.enum(['binary', 'archive', 'manifest', 'chart']),
  /** The directory it lies in. */
  from: httpsUrl(),
  /** Its name upstream. */
  file: text(),
  /** Processors it exists for; none where it is the same for all. */
  arch: list(z.enum(ARCHES)),
  /** What upstream calls a processor in this file's name. */
  archNames: z.partialRecord(z.enum(ARCHES), text()).default({}),
  checksum,
  /** Programs by name, and where they lie in an archive. */
  programs: z.record(name(), text()).default({}),
  /** The same content in a Go module: several files are joined as documents of one. */
  inModule: z
    .strictObject({ module: text(), version: text().default('v{version}'), files: z.array(text()).min(1) })
    .optional(),
});

const made = z.strictObject({
  /** Programs that kubexm carries itself, in data/programs. */
  own: list(name()),
  /** Programs of this component. */
  programs: list(name()),
  /** The directory that all of these lie in. */
  at: path().default('/usr/local/bin'),
  /** Packages of Debian whose files go along, with the libraries that they need. */
  debian: list(packageName()),
  /** Symbolic links, and what they point to: what maintainer scripts would have made. */
  links: z.record(path(), text()).default({}),
  /** Small texts. One that begins with #! can be executed. */
  files: z.record(path(), z.string()).default({}),
  directories: list(path()),
  /** Users with their numbers, beside root, nobody and nonroot; each has a group of its own. */
  users: z.record(name(), z.int().min(1).max(65533)).default({}),
  entrypoint: z.array(text()).min(1),
  cmd: list(text()),
  /** `NAME=value`, beside PATH. */
  env: list(z.string().regex(/^[A-Z][A-Z0-9_]*=\S*$/, 'is no NAME=value')),
  user: z
    .string()
    .regex(/^[0-9]+(:[0-9]+)?$/, 'is no number of a user')
    .optional(),
  workingDir: path().optional(),
  ports: list(z.string().regex(/^[0-9]{1,5}\/(tcp|udp)$/, 'is no port such as 53/udp')),
  stopSignal: z
    .string()
    .regex(/^SIG[A-Z0-9]+$/, 'is no name of a signal')
    .optional(),
});

const image = z.strictObject({
  name: name(),
  ...only,
  repository: repository(),
  tag: text(),
  arch: z.array(z.enum(ARCHES)).default([...ARCHES]),
  /** How kubexm makes an image that does the same, where none can be pulled. */
  made: made.optional(),
});

const build = z.strictObject({
  ...only,
  /** module: inside a copy of the module. wrapper: in a module of kubexm's own that requires it. */
  style: z.enum(['module', 'wrapper']),
  /** Modules of the same version; the first one has the sources. */
  modules: z.array(text()).min(1),
  moduleVersion: text().default('v{version}'),
  /** Programs by name, and their packages in full. */
  programs: z.record(name(), text()),
  /** Needs a C compiler, hence a cross compiler for another processor. */
  cgo: z.boolean().default(false),
  /** Packages of Debian that cgo needs. */
  needs: list(packageName()),
  tags: list(text()),
  ldflags: list(text()),
  /** What building all of its programs from nothing takes, measured: for estimates, and for the space that is asked for. */
  cost: z.strictObject({ cpuSeconds: z.int().min(1), megabytes: z.int().min(1) }).optional(),
  /** Files of the first module that are left out: helpers of its tests that need what nobody published. Only in a wrapper. */
  without: list(text()),
  /** Requirements of this form at this version that are replaced: staging modules. */
  replace: z.strictObject({ modules: text(), at: text(), by: text() }).optional(),
});

const packages = z.strictObject({
  debian: list(packageName()),
  rhel: list(packageName()),
  suse: list(packageName()),
});

/** Parts of a cluster that components belong to; also decides where their files lie. */
const GROUPS = [
  'kubernetes',
  'etcd',
  'runtime',
  'network',
  'dns',
  'loadbalancer',
  'registry',
  'addon',
  'tool',
] as const;

/** One file of the catalog. */
export const componentSchema = z.strictObject({
  component: name(),
  title: text(),
  group: z.enum(GROUPS),
  upstream: httpsUrl(),
  /** A cluster works without it: where no source has it, that is a warning. */
  optional: z.boolean().default(false),
  /** Oldest first. Empty where the operating system's packages are the only source. */
  versions: list(entry),
  kubernetes: list(row),
  files: list(file),
  images: list(image),
  builds: list(build),
  /** Why there is no recipe for it, or for some versions. */
  unbuilt: text().optional(),
  packages: packages.prefault({}),
});

const zone = z.strictObject({
  title: text(),
  /** Holds what registry.k8s.io holds, by the last part of its name. */
  imageRepository: repository(),
  /** Registries, and what stands for them; the first one is used in manifests. */
  images: z.record(z.string().refine(isRegistryHost, 'is no registry'), z.array(repository()).min(1)),
  /** Beginnings of addresses, and what stands for them. */
  files: z.record(httpsUrl(), z.array(httpsUrl()).min(1)),
});

/** The file of regional mirrors. */
export const zonesSchema = z.strictObject({ zones: z.record(name(), zone) });

const digest = () =>
  z
    .string()
    .refine((value): value is Digest => /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(value), 'is no digest');

type Digest = `${'sha256' | 'sha512'}:${string}`;

/** The file of digests that projects publish. A script makes it: nobody types digests. */
export const digestsSchema = z.strictObject({
  about: text(),
  /** By component, version, name of the file in the catalog and processor; `any` where it is the same for all. */
  digests: z.record(
    name(),
    z.record(version(), z.record(name(), z.partialRecord(z.enum([...ARCHES, 'any']), digest()))),
  ),
});

/** What projects publish, as far as the catalog knows. */
export type CatalogDigests = z.output<typeof digestsSchema>['digests'];

/** A component: its versions, files, images and how to build it. */
export type Component = z.output<typeof componentSchema>;

/** A file of a component. */
export type CatalogFile = Component['files'][number];

/** An image of a component. */
export type CatalogImage = Component['images'][number];

/** How a component is built. */
export type CatalogBuild = Component['builds'][number];

/** How kubexm makes an image itself. */
export type MadeImage = z.output<typeof made>;

/** The mirrors of a region. */
export type Zone = z.output<typeof zone>;

/** All components and regions, by name. */
export interface Catalog {
  readonly components: ReadonlyMap<string, Component>;
  readonly zones: ReadonlyMap<string, Zone>;
  readonly digests: CatalogDigests;
}

function isPlainVersion(value: string): boolean {
  return value === plainVersion(value) && parseVersion(value) !== undefined;
}

function isRepository(value: string): boolean {
  const [host = '', ...path] = value.split('/');
  return /[.:]/.test(host) && isRegistryHost(host) && path.every((part) => /^[a-z0-9]+([._-]+[a-z0-9]+)*$/.test(part));
}

function isImagePath(value: string): boolean {
  return value === '/' || /^(\/[A-Za-z0-9_+-][A-Za-z0-9._+-]*)+$/.test(value);
}
