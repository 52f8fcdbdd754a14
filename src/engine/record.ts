import type { Json } from '../model/json.ts';
import type { Mark } from '../model/mark.ts';

/** What the journal says of a run as a whole. */
export interface RunHeader {
  readonly version: 1;
  readonly run: string;
  readonly pipeline: string;
  readonly cluster: string;
  readonly startedAt: string;
  readonly kubexm: string;
  /** Fingerprints: a run is resumed only with the same configuration and the same plan. */
  readonly configHash: string;
  readonly planHash: string;
}

/** A transition of a node. `intent` comes before anything is changed, `done` after it was checked. */
export type Phase =
  | 'satisfied'
  | 'superseded'
  | 'intent'
  | 'applied'
  | 'done'
  | 'ran'
  | 'failed'
  | 'skipped'
  | 'unknown'
  | 'reverting'
  | 'reverted'
  | 'dirty';

/** One line of the journal. */
export interface NodeRecord {
  readonly node: string;
  readonly phase: Phase;
  /** The input's fingerprint. */
  readonly input?: string;
  /** Names the try for good: no two tries of a node in a run have the same number, so that no two jobs have one name. */
  readonly attempt?: number;
  /** What a custom revert needs to put things back. Never a secret. */
  readonly before?: Json;
  /** What its success means; a node's `intent` and its end have it. */
  readonly mark?: Mark;
}

/** What a run as a whole went through. */
export interface RunRecord {
  readonly node: 'run';
  readonly phase: 'resumed' | 'finalizers' | 'ended';
  readonly outcome?: string;
}

/** Anything the journal holds after its header. */
export type JournalRecord = NodeRecord | RunRecord;
