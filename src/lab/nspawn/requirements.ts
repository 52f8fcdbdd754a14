import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import { DIFF_TOOLS } from '../diff/tools.ts';
import type { LabProgress } from '../types.ts';
import { must, programEnv, run } from './run.ts';

/** Where apt keeps the program that downloads as apt does. */
export const APT_HELPER = '/usr/lib/apt/apt-helper';

/** The programs that labs use, and the packages of Debian and Ubuntu that have them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  ip: 'iproute2',
  tc: 'iproute2',
  depmod: 'kmod',
  rmmod: 'kmod',
  'ssh-keygen': 'openssh-client',
  flock: 'util-linux',
  nsenter: 'util-linux',
  perl: 'perl-base',
  setpriv: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
  [APT_HELPER]: 'apt',
  ...DIFF_TOOLS,
};

/** What of the needed programs is not here. */
export function missingPrograms(has: (program: string) => boolean = found): readonly string[] {
  return Object.keys(PROGRAMS).filter((program) => !has(program));
}

/** The packages that have these programs. */
export function packagesFor(programs: readonly string[]): readonly string[] {
  return [...new Set(programs.map((program) => PROGRAMS[program] ?? program))];
}

/** Refuses a box that cannot have labs. */
export function checkBox(): void {
  if (process.platform !== 'linux') throw kubexmError('KX6006', { what: process.platform });
  if (process.getuid?.() !== 0) throw kubexmError('KX6006', { what: `uid ${process.getuid?.()}` });
}

/** Installs what is missing where that can be done, and says exactly what is missing elsewhere. */
export async function ensurePrograms(options: {
  readonly report: (event: LabProgress) => void;
  readonly signal?: AbortSignal;
}): Promise<void> {
  checkBox();
  const missing = missingPrograms();
  if (missing.length === 0) return;
  const packages = packagesFor(missing);
  const names = { programs: missing.join(', '), packages: packages.join(' ') };
  if (!isDebianLike() || !found('apt-get')) throw kubexmError('KX6001', names);
  options.report({ type: 'installing', packages });
  const install = ['-qq', 'install', '--yes', '--no-install-recommends', ...packages];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const signal = options.signal && { signal: options.signal };
  if ((await run('apt-get', install, { env, ...signal })).code !== 0) {
    await run('apt-get', ['-qq', 'update'], { env, ...signal });
    await must('apt-get', install, { env, ...signal }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw kubexmError('KX6019', { packages: names.packages, reason }, { cause: error });
    });
  }
  const still = missingPrograms();
  if (still.length > 0)
    throw kubexmError('KX6001', { programs: still.join(', '), packages: packagesFor(still).join(' ') });
}

function isDebianLike(): boolean {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
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
