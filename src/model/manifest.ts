import type { Effect } from './effect.ts';
import type { Json } from './json.ts';
import type { Mark } from './mark.ts';

/** What the manifest says of one change. Never a secret. */
export interface ManifestChange {
  /** The node that made it, without its host. */
  readonly node: string;
  readonly run: string;
  readonly at: string;
  readonly kind: string;
  readonly title: string;
  /** What the change means to the cluster. */
  readonly mark?: Mark;
  /** What beside files it was the first to change. */
  readonly names: readonly string[];
  readonly effects: readonly Effect[];
  /** For a step that reverts by itself: what it wanted, and what it had found. */
  readonly want?: Json;
  readonly before?: Json;
  /** Why it cannot be undone. */
  readonly irreversible?: string;
}

/** A change as it stands in a machine's manifest. */
export interface ManifestEntry extends ManifestChange {
  /** Its number: later changes have higher ones. */
  readonly seq: string;
  readonly paths: readonly { readonly path: string; readonly existed: boolean }[];
}

/** Whose a machine is, and what was changed on it, in the order of changing. */
export interface HostManifest {
  readonly uid: string;
  readonly cluster: string;
  readonly entries: readonly ManifestEntry[];
}
