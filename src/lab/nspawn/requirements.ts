import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { boxPackages, boxSystem, installScript } from '../../host/index.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { DIFF_TOOLS } from '../diff/tools.ts';
import type { LabProgress } from '../types.ts';
import { programEnv, run } from './run.ts';

/** Where apt keeps the program that downloads as apt does. */
export const APT_HELPER = '/usr/lib/apt/apt-helper';

/** The programs that labs use. Which packages have them, `src/host` knows. */
const PROGRAMS: readonly string[] = [
  'mmdebstrap',
  'systemd-nspawn',
  'ip',
  'tc',
  'depmod',
  'rmmod',
  'ssh-keygen',
  'flock',
  'nsenter',
  'perl',
  'setpriv',
  'unshare',
  'mount',
  APT_HELPER,
  ...Object.keys(DIFF_TOOLS),
];

/** What of the needed programs is not here. */
export function missingPrograms(has: (program: string) => boolean = found): readonly string[] {
  return PROGRAMS.filter((program) => !has(program));
}

/** Refuses a box that cannot have labs. */
export function checkBox(): void {
  if (process.platform !== 'linux') throw kubexmError('KX6006', { what: process.platform });
  if (process.getuid?.() !== 0) throw kubexmError('KX6006', { what: `uid ${process.getuid?.()}` });
}

/** What of this box's programs is missing, and what else is asked for, and how to install all of it. */
interface Wanted {
  readonly report: (event: LabProgress) => void;
  readonly signal?: AbortSignal;
  /** What this box needs beside, as recipes of the catalog name it. */
  readonly needs?: readonly string[];
}

/** Installs what is missing, all in one go, where that can be done, and says exactly what is missing elsewhere. */
export async function ensurePrograms(options: Wanted): Promise<void> {
  checkBox();
  const programs = missingPrograms();
  const missing = [...programs, ...(options.needs ?? [])];
  if (missing.length === 0) return;
  const system = boxSystem();
  const { packages, without } = boxPackages(system, missing);
  const script = installScript(system, packages);
  if (without.length > 0 || script === undefined) throw unavailable(missing, packages);
  options.report({ type: 'installing', packages });
  const { code, stdout, stderr } = await run('sh', ['-c', script], {
    env: process.env,
    ...(options.signal && { signal: options.signal }),
  });
  options.signal?.throwIfAborted();
  if (code !== 0) {
    const lines = (stderr.trim() || stdout.trim()).split('\n');
    const reason = lines.findLast((line) => /^(E:|Error|No provider|Package)/.test(line)) ?? lines.at(-1) ?? `${code}`;
    const detail = { detail: lines.slice(-20).join('\n') };
    throw kubexmError('KX6019', { packages: packages.join(' '), reason }, detail);
  }
  const still = missingPrograms();
  if (still.length > 0) throw unavailable(still, boxPackages(system, still).packages);
}

function unavailable(programs: readonly string[], packages: readonly string[]): Error {
  // Where nobody knows the packages, the programs say what to look for.
  const names = packages.length === 0 ? programs : packages;
  return kubexmError('KX6001', { programs: programs.join(', '), packages: names.join(' ') });
}

function found(program: string): boolean {
  const dirs = program.startsWith('/') ? [''] : (programEnv()['PATH'] ?? '').split(':');
  return dirs.some((dir) => {
    try {
      accessSync(join(dir, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
