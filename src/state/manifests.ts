import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLost } from '../engine/errors.ts';
import type { ManifestOptions } from '../engine/manifest.ts';
import { type ManifestOwner, readManifest, readManifestOwner } from '../host/manifest.ts';
import { replaceFileSync, syncDirectorySync } from '../local/files.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { EventError } from '../model/event.ts';
import { LOCAL, type Machine } from '../model/host.ts';
import type { Json } from '../model/json.ts';
import type { HostManifest } from '../model/manifest.ts';
import { MASK } from '../model/text/mask.ts';
import { SyncedLines } from './durable.ts';
import type { WorkDir } from './work-dir.ts';

const SHORTEST = 12;

type Machines = ReadonlyMap<string, Machine>;

/** The manifests of a cluster's hosts, as its work directory knows of them. */
export class ClusterManifests {
  private readonly workDir: WorkDir;
  private readonly cluster: string;
  private readonly noted: Set<string>;

  constructor(workDir: WorkDir, cluster: string) {
    this.workDir = workDir;
    this.cluster = cluster;
    this.noted = new Set(changedHosts(workDir));
  }

  /** Whose the hosts are. One that is lost is left out. */
  async owners(machines: Machines): Promise<ReadonlyMap<string, ManifestOwner | undefined>> {
    return await ofAll(machines, readManifestOwner);
  }

  /** What was changed on the hosts; a host without a manifest is left out. */
  async read(machines: Machines): Promise<Readonly<Record<string, HostManifest>>> {
    const found = await ofAll(machines, readManifest);
    return Object.fromEntries([...found].flatMap(([host, manifest]) => (manifest ? [[host, manifest]] : [])));
  }

  /**
   * The cluster's uid: made once, then always the same. A work directory that was lost learns it from the hosts again. Throws
   * KX8101 if a host is another cluster's.
   */
  identify(owners: ReadonlyMap<string, ManifestOwner | undefined>): string {
    const [known] = linesOf(this.uidFile);
    const ours = [...owners.values()].find((owner) => owner?.cluster === this.cluster);
    const uid = known ?? ours?.uid ?? randomUUID();
    for (const [host, owner] of owners) {
      if (owner && owner.uid !== uid) throw kubexmError('KX8101', { host, other: owner.cluster, uid: owner.uid });
    }
    return uid;
  }

  /** What the engine needs to write manifests; the uid is kept from now on, and each host is noted on disk before it is changed. */
  writer(uid: string, secrets: Iterable<string>): ManifestOptions {
    if (!existsSync(this.uidFile)) this.write(this.uidFile, [uid]);
    // Made now, so that noting a host later costs one sync and not its directory's too.
    if (!existsSync(this.noteFile)) this.write(this.noteFile, []);
    return {
      uid,
      cluster: this.cluster,
      mask: masking([...secrets]),
      touches: this.noter(),
    };
  }

  /** Notes hosts on disk, each once. Thousands may be changed at the same time: they share a few syncs. */
  private noter(): ManifestOptions['touches'] {
    const lines = new SyncedLines(this.noteFile);
    const begun = new Map<string, Promise<void>>();
    return async (host) => {
      if (!this.noted.has(host)) {
        this.noted.add(host);
        begun.set(host, lines.add(host));
      }
      await begun.get(host);
    };
  }

  /** Hosts that kubexm has changed and that have no manifest. */
  lost(hosts: readonly string[], manifests: Readonly<Record<string, HostManifest>>): readonly string[] {
    return hosts.filter((host) => this.noted.has(host) && manifests[host] === undefined);
  }

  /** Hosts that kubexm has changed and that are not among these any more, each with what to do. */
  strays(hosts: readonly string[]): readonly { readonly host: string; readonly error: EventError }[] {
    const names = [...this.noted].filter((host) => !hosts.includes(host));
    return names.map((host) => ({ host, error: { code: 'KX8106', params: { host, file: this.noteFile } } }));
  }

  /** Hosts without a manifest are not ours any more. */
  forget(owners: ReadonlyMap<string, ManifestOwner | undefined>): void {
    const before = this.noted.size;
    for (const [host, owner] of owners) if (!owner) this.noted.delete(host);
    if (this.noted.size < before) this.write(this.noteFile, [...this.noted]);
  }

  private get uidFile(): string {
    return join(this.workDir.cluster, 'uid');
  }

  private get noteFile(): string {
    return noteFileOf(this.workDir);
  }

  private write(file: string, lines: readonly string[]): void {
    replaceFileSync(file, lines.map((line) => `${line}\n`).join(''));
    syncDirectorySync(this.workDir.cluster);
  }
}

/** The hosts that kubexm has changed and not put back since, as the work directory has noted. */
export function changedHosts(workDir: WorkDir): ReadonlySet<string> {
  return new Set(linesOf(noteFileOf(workDir)));
}

function noteFileOf({ cluster }: WorkDir): string {
  return join(cluster, 'changed-hosts');
}

/**
 * Secrets come to steps as Refs, which are masked already; this is for one that came another way. Short ones stay: a
 * password that happens to be a user's name must not change what is undone months later.
 */
function masking(secrets: readonly string[]): (value: Json) => Json {
  const long = secrets.filter((secret) => secret.length >= SHORTEST);
  if (long.length === 0) return (value) => value;
  const text = (value: string) => long.reduce((masked, secret) => masked.replaceAll(secret, MASK), value);
  return (value) => JSON.parse(JSON.stringify(value, (_key, leaf) => (typeof leaf === 'string' ? text(leaf) : leaf)));
}

async function ofAll<T>(machines: Machines, ask: (machine: Machine) => Promise<T>): Promise<ReadonlyMap<string, T>> {
  const remote = [...machines].filter(([name]) => name !== LOCAL);
  const asked = remote.map(async ([name, machine]) => {
    try {
      return [[name, await ask(machine)] as const];
    } catch (error) {
      if (isLost(error)) return [];
      throw error;
    }
  });
  return new Map((await Promise.all(asked)).flat());
}

function linesOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
