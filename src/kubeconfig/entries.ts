import { createHash } from 'node:crypto';
import { type Document, isMap, isSeq, type Node, parse, parseDocument, Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { canonical, type Json } from '../model/json.ts';

/** The lists of a kubeconfig, and the name of what one entry of each holds. */
const LISTS = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;

type List = keyof typeof LISTS;

/** What was put into a kubeconfig, so that it can be taken out again. Digests: the entries have keys in them. */
export interface Merged {
  readonly name: string;
  readonly digests: { readonly clusters: string; readonly users: string };
  /** The contexts that were the current one before, the last one first. */
  readonly before: readonly string[];
  /** The keys that the file did not have. */
  readonly added: readonly string[];
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

/** What a merge has to know beside the texts. */
export interface MergeContext {
  readonly name: string;
  /** What was put there before, which may be replaced. */
  readonly known: Merged | undefined;
  /** What was put there for another cluster, by the name of its context. */
  readonly other?: (context: string) => Merged | undefined;
}

/** Throws where the merge would: the text is unfit, or has entries of that name. `admin`: as far as there is one. */
export function checkEntries(text: string, admin: string | undefined, { name, known }: MergeContext): void {
  const doc = readKubeconfig(text);
  refuseTaken(doc, name, known, admin === undefined ? undefined : entriesOf(readKubeconfig(admin), name));
}

/**
 * Puts the one cluster of a kubeconfig into another one: a cluster, a user and a context of that name, which becomes the current
 * one. Whatever else is there keeps its text.
 */
export function mergeEntries(
  text: string,
  admin: string,
  { name, known, other }: MergeContext,
): { readonly text: string; readonly merged: Merged } {
  const doc = readKubeconfig(text);
  const entries = entriesOf(readKubeconfig(admin), name);
  refuseTaken(doc, name, known, entries);
  const current = String(doc.get('current-context') ?? '');
  const prior = current === name ? known : other?.(current);
  const before = [current, ...(prior?.before ?? [])].filter((context) => context !== name && context !== '');
  const missing = [...listNames, 'current-context'].filter((key) => !doc.has(key));
  const added = [...new Set([...(known?.added ?? []), ...(prior?.added ?? []), ...missing])];
  for (const list of listNames) put(doc, list, name, entries[list]);
  doc.set('current-context', textNode(name));
  const digests = { clusters: digestOf(entries.clusters), users: digestOf(entries.users) };
  return { text: written(doc, text), merged: { name, digests, before, added } };
}

/** What came of taking entries out. */
export interface RemovedEntries {
  readonly text: string;
  /** The kinds of entries that were changed since and stay. */
  readonly left: readonly string[];
  readonly isEmpty: boolean;
}

/** Takes out what was put in, unless somebody has changed it since. */
export function removeEntries(text: string, merged: Merged): RemovedEntries {
  const doc = readKubeconfig(text);
  const left: string[] = [];
  for (const list of listNames) {
    const found = entryIn(doc, list, merged.name);
    if (found === undefined) continue;
    if (isOurs(list, found, merged.name, merged)) listIn(doc, list)?.delete(indexIn(doc, list, merged.name));
    else left.push(LISTS[list]);
  }
  if (doc.get('current-context') === merged.name && !left.includes('context')) {
    const there = merged.before.find((context) => entryIn(doc, 'contexts', context) !== undefined);
    doc.set('current-context', textNode(there ?? ''));
  }
  for (const key of merged.added) if (isBlank(doc.get(key))) doc.delete(key);
  const isEmpty = listNames.every((list) => (listIn(doc, list)?.items.length ?? 0) === 0);
  return { text: written(doc, text), left, isEmpty };
}

const listNames = Object.keys(LISTS) as readonly List[];

/** Scalars stay the text that they are: a token of digits is no number, and is written back as it was. */
function readKubeconfig(text: string): Document {
  const doc = parseDocument(text.trim() === '' ? 'apiVersion: v1\nkind: Config\n' : text, { schema: 'failsafe' });
  const [error] = doc.errors;
  if (error) throw new UnfitKubeconfig(error.message.split('\n')[0]);
  if (!isMap(doc.contents)) throw new UnfitKubeconfig('it is no kubeconfig');
  if (doc.contents.flow) throw new UnfitKubeconfig('it is JSON, and kubexm only changes YAML');
  for (const list of listNames) {
    const value = doc.get(list);
    if (!isSeq(value) && !isBlank(value)) throw new UnfitKubeconfig(`${list} is no list`);
  }
  return doc;
}

/** The entries of a kubeconfig of one cluster, under another name. Values stay as they are written there. */
function entriesOf(admin: Document, name: string): Readonly<Record<List, YAMLMap>> {
  const entry = (list: List) => {
    const item = listIn(admin, list)?.items[0];
    const value = isMap(item) ? item.get(LISTS[list], true) : undefined;
    if (!isMap(value)) throw new UnfitKubeconfig(`${list} is empty`);
    return admin.createNode({ name: textNode(name), [LISTS[list]]: value }) as YAMLMap;
  };
  const contexts = entry('contexts');
  for (const key of ['cluster', 'user']) contexts.setIn(['context', key], textNode(name));
  return { clusters: entry('clusters'), users: entry('users'), contexts };
}

function refuseTaken(
  doc: Document,
  name: string,
  known: Merged | undefined,
  entries: Readonly<Record<List, YAMLMap>> | undefined,
): void {
  for (const list of listNames) {
    const found = entryIn(doc, list, name);
    if (found === undefined || isOurs(list, found, name, known)) continue;
    if (entries === undefined || digestOf(found) !== digestOf(entries[list])) throw new TakenName(LISTS[list], name);
  }
}

/** A context is ours for as long as it joins our cluster and our user, with whatever namespace; the others as they were put there. */
function isOurs(list: List, entry: YAMLMap, name: string, known: Merged | undefined): boolean {
  if (list !== 'contexts') return digestOf(entry) === known?.digests[list];
  return entry.getIn(['context', 'cluster']) === name && entry.getIn(['context', 'user']) === name;
}

function isBlank(value: unknown): boolean {
  if (isSeq(value)) return value.items.length === 0;
  return value === undefined || value === null || /^(?:|~|null)$/i.test(String(value));
}

function listIn(doc: Document, list: List): YAMLSeq | undefined {
  const value = doc.get(list);
  return isSeq(value) ? value : undefined;
}

function indexIn(doc: Document, list: List, name: string): number {
  return listIn(doc, list)?.items.findIndex((item) => isMap(item) && item.get('name') === name) ?? -1;
}

function entryIn(doc: Document, list: List, name: string): YAMLMap | undefined {
  return listIn(doc, list)?.items[indexIn(doc, list, name)] as YAMLMap | undefined;
}

function put(doc: Document, list: List, name: string, entry: YAMLMap): void {
  const items = listIn(doc, list);
  const found = entryIn(doc, list, name);
  if (items === undefined) doc.set(list, doc.createNode([entry]));
  else if (found === undefined) {
    // `clusters: []` goes on in one line, where no key belongs.
    if (items.items.length === 0) items.flow = false;
    items.add(entry);
  } else if (list !== 'contexts' && digestOf(found) !== digestOf(entry)) {
    items.set(indexIn(doc, list, name), entry);
  }
}

/** A text of ours: in quotes where a reader of YAML, also of version 1.1 as kubectl is, would take it for something else. */
function textNode(text: string): Node {
  const node = new Scalar(text);
  if (parse(text, { version: '1.1' }) !== text) node.type = 'QUOTE_DOUBLE';
  return node;
}

function digestOf(entry: YAMLMap): string {
  return createHash('sha256')
    .update(canonical(entry.toJSON() as Json))
    .digest('hex');
}

/** kubectl writes lists at the margin and no spaces into braces, people often do: what is there decides. Long lines stay long. */
function written(doc: Document, text: string): string {
  const indentSeq = /^\w+:[ \t]*\n[ \t]+(?:- |#)/m.test(text);
  return doc.toString({ lineWidth: 0, indentSeq, flowCollectionPadding: /[{[] \S/.test(text) });
}
