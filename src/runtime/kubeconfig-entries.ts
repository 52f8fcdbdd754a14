import { createHash } from 'node:crypto';
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { canonical, type Json } from '../model/json.ts';

/** The lists of a kubeconfig, and the name of what one entry of each holds. */
const LISTS = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;

type List = keyof typeof LISTS;

/** What was put into a kubeconfig, so that it can be taken out again. Digests: the entries have keys in them. */
export interface Merged {
  readonly name: string;
  readonly digests: Readonly<Record<List, string>>;
  /** The context that was the current one before. */
  readonly before: string;
}

/** Why a text cannot be changed. */
export class UnfitKubeconfig extends Error {}

/** An entry of that name is there, and is somebody else's. */
export class TakenName extends Error {
  readonly what: string;
  readonly taken: string;

  constructor(what: string, taken: string) {
    super(`${what} ${taken}`);
    this.what = what;
    this.taken = taken;
  }
}

/**
 * Puts the one cluster of a kubeconfig into another one: a cluster, a user and a context of that name, which becomes the current
 * one. Whatever else is there stays as it is written. `known`: what was put there before, which may be replaced.
 */
export function mergeEntries(
  text: string,
  admin: string,
  name: string,
  known: Merged | undefined,
): { readonly text: string; readonly merged: Merged } {
  const doc = readKubeconfig(text);
  const entries = entriesOf(readKubeconfig(admin), name);
  for (const list of listNames) {
    const found = entryIn(doc, list, name);
    const digest = found && digestOf(found);
    if (digest !== undefined && digest !== digestOf(entries[list]) && digest !== known?.digests[list])
      throw new TakenName(LISTS[list], name);
  }
  const current = String(doc.get('current-context') ?? '');
  for (const list of listNames) put(doc, list, name, entries[list]);
  doc.set('current-context', name);
  const digests = { clusters: '', users: '', contexts: '' };
  for (const list of listNames) digests[list] = digestOf(entries[list]);
  const before = current === name ? (known?.before ?? '') : current;
  return { text: written(doc, text), merged: { name, digests, before } };
}

/** Takes out what was put in, unless somebody has changed it since. Tells what of it stays. */
export function removeEntries(
  text: string,
  merged: Merged,
): { readonly text: string; readonly left: readonly string[]; readonly isEmpty: boolean } {
  const doc = readKubeconfig(text);
  const left: string[] = [];
  for (const list of listNames) {
    const found = entryIn(doc, list, merged.name);
    if (found === undefined) continue;
    if (digestOf(found) === merged.digests[list]) listIn(doc, list)?.items.splice(indexIn(doc, list, merged.name), 1);
    else left.push(LISTS[list]);
  }
  if (doc.get('current-context') === merged.name && !left.includes('context')) {
    const there = entryIn(doc, 'contexts', merged.before) !== undefined;
    doc.set('current-context', there ? merged.before : '');
  }
  const isEmpty = listNames.every((list) => (listIn(doc, list)?.items.length ?? 0) === 0);
  return { text: written(doc, text), left, isEmpty };
}

const listNames = Object.keys(LISTS) as readonly List[];

function readKubeconfig(text: string): Document {
  const doc = parseDocument(text.trim() === '' ? 'apiVersion: v1\nkind: Config\n' : text);
  const [error] = doc.errors;
  if (error) throw new UnfitKubeconfig(error.message.split('\n')[0]);
  if (!isMap(doc.contents)) throw new UnfitKubeconfig('it is no kubeconfig');
  for (const list of listNames) {
    const value = doc.get(list);
    if (value !== undefined && value !== null && !isSeq(value)) throw new UnfitKubeconfig(`${list} is no list`);
  }
  return doc;
}

/** The entries of a kubeconfig of one cluster, under another name. */
function entriesOf(admin: Document, name: string): Readonly<Record<List, Json>> {
  const value = (list: List) => {
    const item = listIn(admin, list)?.items[0];
    if (!isMap(item)) throw new UnfitKubeconfig(`${list} is empty`);
    return (item.toJSON() as Readonly<Record<string, Json>>)[LISTS[list]] ?? {};
  };
  return {
    clusters: { name, cluster: value('clusters') },
    users: { name, user: value('users') },
    contexts: { name, context: { ...(value('contexts') as object), cluster: name, user: name } },
  };
}

function listIn(doc: Document, list: List): YAMLSeq | undefined {
  const value = doc.get(list);
  return isSeq(value) ? value : undefined;
}

function indexIn(doc: Document, list: List, name: string): number {
  return listIn(doc, list)?.items.findIndex((item) => isMap(item) && item.get('name') === name) ?? -1;
}

function entryIn(doc: Document, list: List, name: string): Json | undefined {
  const item = listIn(doc, list)?.items[indexIn(doc, list, name)] as YAMLMap | undefined;
  return item === undefined ? undefined : (item.toJSON() as Json);
}

function put(doc: Document, list: List, name: string, entry: Json): void {
  const index = indexIn(doc, list, name);
  const node = doc.createNode(entry);
  const items = listIn(doc, list);
  if (items === undefined) doc.set(list, doc.createNode([entry]));
  else if (index >= 0) items.set(index, node);
  else {
    // `clusters: []` goes on in one line, where no key belongs.
    if (items.items.length === 0) items.flow = false;
    items.add(node);
  }
}

function digestOf(entry: Json): string {
  return createHash('sha256').update(canonical(entry)).digest('hex');
}

/** kubectl writes lists at the margin and no spaces into braces, people often do: what is there decides. Long lines stay long. */
function written(doc: Document, text: string): string {
  const indentSeq = /^\w+:[ \t]*\n[ \t]+(?:- |#)/m.test(text);
  return doc.toString({ lineWidth: 0, indentSeq, flowCollectionPadding: /[{[] \S/.test(text) });
}
