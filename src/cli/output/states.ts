import type { ClusterStatus, Condition, NodeState } from '../../index.ts';
import type { Style } from './color.ts';

/** The colour of a cluster's status; the word beside it says the same. */
export function clusterStyle(status: ClusterStatus): Style {
  if (status === 'ready') return 'green';
  if (status === 'failed' || status === 'half-deleted') return 'red';
  if (status === 'creating' || status === 'deleting') return 'cyan';
  return status === 'partial' || status === 'unfinished' ? 'yellow' : 'plain';
}

/** The colour of a host's state. */
export function nodeStyle(state: NodeState): Style {
  if (state === 'ok') return 'green';
  if (state === 'failed' || state === 'lost') return 'red';
  if (state === 'working') return 'cyan';
  return state === 'unfinished' ? 'yellow' : 'plain';
}

/** The colour of what is so, is not so, or is not known. */
export function truthStyle(status: Condition['status']): Style {
  return status === 'True' ? 'green' : status === 'False' ? 'red' : 'yellow';
}
