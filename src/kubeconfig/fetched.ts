import type { EventSink } from '../model/event.ts';

/** Hears whether the run has fetched the kubeconfig, or found it to be right: one of an earlier cluster is not to be merged. */
export function hearFetched(): { readonly sink: EventSink; readonly done: () => boolean } {
  let done = false;
  const sink: EventSink = (event) => {
    if (event.type !== 'node-finished' || event.mark !== 'kubeconfig-fetched') return;
    done = ['ran', 'changed', 'satisfied'].includes(event.outcome);
  };
  return { sink, done: () => done };
}
