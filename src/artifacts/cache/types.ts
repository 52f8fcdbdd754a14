import type { Voucher } from '../../model/artifact-lock.ts';
import type { ArtifactNeed, BuildNeed, FileNeed, ImageNeed } from '../../model/catalog/need.ts';
import type { Arch } from '../../model/catalog/schema.ts';
import type { KubexmError } from '../../model/errors/index.ts';
import type { BlobStore } from '../oci/index.ts';
import type { TimedBuild } from './build-times.ts';

/** What is known about a component beside its files and images. Plain JSON, as all of a job. */
interface About {
  readonly component: string;
  readonly version: string;
  readonly group: ArtifactNeed['group'];
  readonly optional: boolean;
  /** How programs of the component are built from source. */
  readonly builds: readonly BuildNeed[];
  /** Why none is. */
  readonly unbuilt?: string;
}

/** The files of one component for one processor: got together, since one archive or one build has several of them. */
export interface FilesJob extends About {
  readonly kind: 'files';
  /** Unset: the files are the same for all processors. */
  readonly arch?: Arch;
  readonly files: readonly FileNeed[];
}

/** One image for one processor. */
export interface ImageJob extends About {
  readonly kind: 'image';
  readonly arch: Arch;
  readonly image: ImageNeed;
}

/** What is got in one go. */
export type Job = FilesJob | ImageJob;

/** A file that a job must yield. */
export interface Item {
  /** `kubernetes/1.34.2/amd64/kubeadm`: the same in every cluster. */
  readonly id: string;
  readonly kind: 'program' | 'archive' | 'manifest' | 'chart' | 'image';
  readonly name: string;
}

/** A file that is in the store. */
export interface Supplied {
  readonly sha256: string;
  readonly size: number;
  /** Who says that it is the right one. Default: as the source says of all of its files. */
  readonly vouched?: Voucher;
}

/** Somewhere artifacts come from. */
export interface Source {
  /** As the user names it: `upstream`, `go`, `mirror https://files.example.com`. */
  readonly name: string;
  /** Who vouches for its files, unless more is known of one. */
  readonly vouches: Voucher;
  /** What its result depends on, found without the network. Undefined: it does not offer this job. */
  key(job: Job): Promise<string | undefined>;
  /** Gets all items of a job into the store, by their ids. Throws an error that says in one line why it cannot. */
  get(job: Job, store: BlobStore, io: SupplyIo): Promise<ReadonlyMap<string, Supplied>>;
  /** What getting a job would take, found out within seconds and without getting anything. Default: it answers and needs nothing. */
  outlook?(job: Job, io: AskIo): Promise<Outlook>;
}

/** What a source may use when it is asked what it would do. */
export type AskIo = Pick<SupplyIo, 'signal' | 'env'>;

/** What getting a job from a source would take. */
export interface Outlook {
  /** Why the source cannot give it: its server does not answer, it does not have the items. */
  readonly why?: KubexmError;
  /** What this machine lacks for it. */
  readonly missing?: readonly Missing[];
  readonly builds?: readonly PlannedBuild[];
}

/** Something that this machine needs for a build and does not have. */
export interface Missing {
  /** As recipes name it: `gcc`, `libseccomp-dev`; also `go`, `git` and `apt`. */
  readonly need: string;
  /** Set where it is needed for another processor than this machine's. */
  readonly arch?: Arch;
  /** What needs it: `runc 1.4.3`. */
  readonly by: string;
  /** What is wrong with it, where it is not just absent. */
  readonly reason?: string;
}

/** A build that would be made, and what it costs. */
export interface PlannedBuild extends TimedBuild {
  /** The same wherever the same build is meant: jobs share builds. */
  readonly name: string;
  readonly programs: readonly string[];
  /** About how long it takes on this machine, with all cores for itself. */
  readonly seconds: number;
  /** What it leaves in the caches of Go and of kubexm, from nothing. */
  readonly megabytes: number;
}

/** What every part of a supply may use beside its own arguments. */
export interface SupplyIo {
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How far it is. `unit`: what is counted. Default: bytes. */
  progress(done: number, total: number | undefined, unit?: 'bytes' | 'parts'): void;
  /** One line about what is going on now: `building kubernetes 1.34.2`. */
  say(text: string): void;
  /** Go modules that nobody vouches for may be used. Default false. */
  readonly unverified?: boolean;
}
