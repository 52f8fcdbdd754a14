/** Who says that a file is the right one, best first. Unset in a lock: an older version of kubexm did not record it. */
export const VOUCHERS = ['catalog', 'upstream', 'go-sumdb', 'user', 'mirror', 'nobody'] as const;

/**
 * `catalog`: the digest that the project publishes is in kubexm's catalog. `upstream`: the project itself, over TLS. `go-sumdb`: the
 * checksum database of Go, for the sources it was built from. `user`: it came from a disk of the user. `mirror`: the mirror it came
 * from, and nobody else. `nobody`: the user allowed it all the same.
 */
export type Voucher = (typeof VOUCHERS)[number];

/** A file that a cluster has agreed on, or that no source had and the cluster does without. */
export type LockEntry =
  | { readonly sha256: string; readonly size: number; readonly source: string; readonly vouched?: Voucher }
  | { readonly absent: string; readonly sources: string };

/** What a cluster's `artifacts.lock` says, by the id of the item. */
export type ArtifactLock = Readonly<Record<string, LockEntry>>;

/** Where artifacts come from, as the configuration or the environment says; without secrets. */
export interface SourceSpec {
  readonly type: 'bundle' | 'directory' | 'mirror' | 'upstream' | 'zone' | 'go';
  readonly path?: string;
  readonly sha256?: string;
  readonly url?: string;
  readonly registry?: string;
  readonly caFile?: string;
  /** Files that come over plain HTTP are used although nobody vouches for them. */
  readonly plainHTTP?: boolean;
  /** Of `go`: modules that no checksum database vouches for may be used. */
  readonly unverified?: boolean;
  readonly username?: string;
  /** The field of the configuration that holds the password. */
  readonly passwordField?: string;
}
