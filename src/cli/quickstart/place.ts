import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  kubexmError,
  type Lab,
  labConfig,
  readContexts,
  recordContext,
  requireOwnWorkDir,
  WORK_DIR,
  workDirOf,
} from '../../index.ts';
import type { Io } from '../io.ts';

/** What quickstart calls its lab and its cluster. */
export const QUICKSTART = 'quickstart';

const CONFIG = 'quickstart.yaml';

/** Where everything about the quickstart cluster is. */
export interface Place {
  readonly baseDir: string;
  /** `.kubexm/quickstart` */
  readonly dir: string;
  readonly configFile: string;
}

/** There is one on this machine, wherever it was started: else it will be in the current directory. */
export function findPlace(io: Io): Place {
  const known = readContexts(io.env).contexts.find(({ name }) => name === QUICKSTART);
  const elsewhere = known === undefined ? undefined : placeIn(known.baseDir);
  const place = elsewhere !== undefined && existsSync(elsewhere.configFile) ? elsewhere : placeIn(io.cwd);
  requireOwnWorkDir(place.baseDir, QUICKSTART);
  if (isForeign(place)) throw kubexmError('KX6632', { dir: place.dir });
  return place;
}

function placeIn(baseDir: string): Place {
  const dir = workDirOf(baseDir, QUICKSTART).cluster;
  return { baseDir, dir, configFile: join(dir, CONFIG) };
}

/** A cluster of this name that the user made. */
function isForeign({ dir, configFile }: Place): boolean {
  if (existsSync(configFile) || !existsSync(dir)) return false;
  return lstatSync(dir).isSymbolicLink() || readdirSync(dir).some((name) => !name.startsWith(CONFIG));
}

/** The version of Kubernetes that it has, as far as it is known. */
export function knownVersion(place: Place): string | undefined {
  return /^ {4}version: (\S+)$/m.exec(textOf(place))?.[1];
}

/** Writes the configuration. What is known of machines that are gone goes: others have other keys, and no cluster. */
export function writeConfig(place: Place, lab: Lab, version: string): void {
  const made = `# Its machines were made at ${lab.created}.`;
  if (existsSync(place.configFile) && !textOf(place).includes(made)) removePlace(place);
  const text = `${made}\n${labConfig(lab, version)}`;
  if (text === textOf(place)) return;
  mkdirSync(place.dir, { recursive: true, mode: 0o700 });
  writeFileSync(`${place.configFile}.${process.pid}`, text, { mode: 0o600 });
  renameSync(`${place.configFile}.${process.pid}`, place.configFile);
}

/** Records the place before anything is changed on the machines: a run after a kill must find it, from any directory. */
export function rememberPlace(io: Io, { configFile, baseDir }: Place): void {
  try {
    recordContext(io.env, { name: QUICKSTART, configFile, baseDir });
  } catch {
    // Every run that ends tries it again, and says why it cannot be done.
  }
}

/** Removes everything about the cluster here; the directory of all clusters too, if it was the last one. */
export function removePlace(place: Place): void {
  if (isForeign(place)) throw kubexmError('KX6632', { dir: place.dir });
  // The configuration is what tells that it is quickstart's own: it goes last.
  const names = existsSync(place.dir) ? readdirSync(place.dir).filter((name) => name !== CONFIG) : [];
  for (const name of names) rmSync(join(place.dir, name), { recursive: true, force: true });
  rmSync(place.dir, { recursive: true, force: true });
  const all = dirname(place.dir);
  if (all.endsWith(WORK_DIR) && existsSync(all) && readdirSync(all).every((name) => name === '.gitignore')) {
    rmSync(all, { recursive: true });
  }
}

function textOf({ configFile }: Place): string {
  return existsSync(configFile) ? readFileSync(configFile, 'utf8') : '';
}
