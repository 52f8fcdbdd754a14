/** A file that a cluster has agreed on, or that no source had and the cluster does without. */
export type LockEntry =
  | { readonly sha256: string; readonly size: number; readonly source: string }
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
  readonly username?: string;
  /** The field of the configuration that holds the password. */
  readonly passwordField?: string;
}
