import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { Target } from '../../src/connector/target.ts';
import {
  brokenLabs,
  createLab,
  deleteLab,
  execInMachine,
  type Lab,
  type LabMachine,
  type LabSpec,
  listLabs,
  openLab,
  restoreLab,
  snapshotLab,
} from '../../src/lab/index.ts';
import { CODENAMES } from '../../src/lab/nspawn/recipe.ts';
import { missingPrograms } from '../../src/lab/nspawn/requirements.ts';
import { readSources, sourcesFor } from '../../src/lab/nspawn/sources.ts';

const PREFIX = 'kubexm-labs-';
const FRESH = 'fresh';

/** Why labs cannot be made on this machine; undefined when they can. */
export function labProblem(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = missingPrograms();
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  if (!existsSync('/sys/fs/cgroup')) return 'needs control groups';
  if (sourcesFor(readSources('/etc/apt'), CODENAMES['debian-12']).length === 0) return 'needs a mirror of Debian';
  return undefined;
}

/** A test suite that needs lab machines: skipped with the reason in its name where there can be none. */
export function describeLab(name: string, suite: () => void): void {
  const problem = labProblem();
  describe.skipIf(problem !== undefined)(problem === undefined ? name : `${name} (${problem})`, suite);
}

/** How a lab for tests is made. */
export interface TestLabOptions extends Partial<Omit<LabSpec, 'machines'>> {
  /** Keep a snapshot for `reset`. Costs a restart. */
  readonly resettable?: boolean;
}

/** A lab that is gone after the tests. */
export interface TestLab {
  readonly name: string;
  /** What commands must be told to find it. */
  readonly env: NodeJS.ProcessEnv;
  /** The lab as it is now. */
  look(): Promise<Lab>;
  machine(index: number): Promise<LabMachine>;
  /** Runs a script in a machine past its network; fails when it fails. */
  exec(index: number, script: string): Promise<string>;
  /** How kubexm logs in. */
  target(index: number, changes?: Partial<Target>): Promise<Target>;
  /** All disks as after the first boot, all machines running. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** A place for labs that nobody else uses, with the user's own cache of images. */
export function labEnv(): NodeJS.ProcessEnv {
  const state = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const cache = process.env['XDG_CACHE_HOME'] || join(process.env['HOME'] ?? homedir(), '.cache');
  const { KUBEXM_HOME: _, ...env } = process.env;
  return { ...env, XDG_STATE_HOME: state, XDG_CACHE_HOME: cache };
}

/** Removes a place and every lab in it. */
export async function removeEnv(env: NodeJS.ProcessEnv): Promise<void> {
  for (const lab of [...(await listLabs({ env })), ...(await brokenLabs({ env }))]) await deleteLab(lab.name, { env });
  await rm(env['XDG_STATE_HOME'] ?? '', { recursive: true, force: true });
}

/** Makes a lab. Its first boot costs a second or two per machine; the image is made once and kept. */
export async function withLab(machines: number, options: TestLabOptions = {}): Promise<TestLab> {
  await removeStale();
  const env = labEnv();
  const { resettable = false, name = `x${process.pid}`, ...spec } = options;
  const close = (): Promise<void> => removeEnv(env);
  try {
    await createLab({ name, machines, ...spec }, { env });
    if (resettable) await snapshotLab(name, { env }, FRESH);
  } catch (error) {
    await close();
    throw error;
  }
  const look = (): Promise<Lab> => openLab(name, { env });
  const machine = async (index: number): Promise<LabMachine> => (await look()).machines[index - 1]!;
  return {
    name,
    env,
    look,
    machine,
    close,
    exec: async (index, script) => {
      const { code, stdout, stderr } = await execInMachine(await machine(index), script);
      if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr || stdout}`);
      return stdout;
    },
    target: async (index, changes = {}) => targetOf(await machine(index), env, changes),
    reset: async () => {
      await restoreLab(name, { env }, FRESH);
    },
  };
}

function targetOf(machine: LabMachine, env: NodeJS.ProcessEnv, changes: Partial<Target>): Target {
  return {
    name: machine.name,
    address: machine.address,
    port: 22,
    user: machine.user,
    auth: { privateKeyPath: machine.sshKeyPath },
    hostKey: [machine.hostKey],
    hostKeys: { pinFile: join(env['XDG_STATE_HOME'] ?? '', 'known_hosts') },
    bastions: [],
    ...changes,
  };
}

/** A test run that was killed leaves machines behind: the next one removes them. */
export async function removeStale(): Promise<void> {
  for (const entry of readdirSync(tmpdir())) {
    const pid = entry.startsWith(PREFIX) ? Number(entry.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (!Number.isInteger(pid) || existsSync(`/proc/${pid}`)) continue;
    await removeEnv({ ...process.env, KUBEXM_HOME: '', XDG_STATE_HOME: join(tmpdir(), entry) });
  }
}
