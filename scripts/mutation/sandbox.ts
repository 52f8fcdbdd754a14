import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where mutants run. */
export interface Sandbox {
  readonly root: string;
  /** Holds `src` (the sources with switches), `out` (what comes back) and `tmp` (for the tests, in memory). */
  readonly work: string;
}

/** How a command in the sandbox ended. */
export interface Ended {
  readonly code: number;
  readonly late: boolean;
  readonly text: string;
}

// A mutant is a defect that runs as root: a guard that guards nothing, a kill of the wrong process. It gets mounts, processes and a
// network of its own, and can write nowhere but in memory and in the directory for its results. Not exec: the first process of a
// namespace has to collect what others leave behind, and a shell does.
const SCRIPT = `set -e
mount --bind "$KX_WORK/src" "$KX_ROOT/src"
mount --bind "$KX_WORK/out" "$KX_WORK/out"
mount -t tmpfs -o mode=1777 kubexm-mutant "$KX_WORK/tmp"
mount -t tmpfs -o mode=0755 kubexm-mutant "$KX_ROOT/node_modules/.cache"
mount -t tmpfs -o mode=0755 kubexm-mutant /run
mount -t tmpfs -o mode=1777 kubexm-mutant /var/tmp
mkdir -p /run/lock "$HOME"
mount --bind /proc/sys /proc/sys
while read -r x x x x point x; do
  point=$(printf '%b' "$point")
  case "$point" in
  "$KX_WORK"/out | "$KX_WORK"/tmp | "$KX_ROOT"/node_modules/.cache | /run | /var/tmp | /proc | /dev | /dev/*) ;;
  *) mount -o remount,bind,ro "$point" 2>/dev/null || [ ! -w "$point" ] || { echo "cannot protect $point" >&2; exit 125; } ;;
  esac
done </proc/self/mountinfo
ip link set lo up
cd "$KX_ROOT"
"$@"
exit $?`;

/** Runs a command in a sandbox of its own; nothing that it started survives it. */
export async function inSandbox(
  { root, work }: Sandbox,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  seconds: number,
): Promise<Ended> {
  const args = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    '--net',
    '--ipc',
    '--propagation',
    'private',
  ];
  // Whatever ends this process ends the sandbox too.
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', ...args, 'sh', '-c', SCRIPT, 'sandbox', ...command],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...env,
        KX_ROOT: root,
        KX_WORK: work,
        HOME: join(work, 'tmp/home'),
        KUBEXM_TEST_TMPDIR: join(work, 'tmp'),
        TMPDIR: join(work, 'tmp'),
        KUBEXM_TEST_CONFINED: '1',
      },
    },
  );
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part));
  let late = false;
  const alarm = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, seconds * 1000);
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
  clearTimeout(alarm);
  return { code, late, text: Buffer.concat(parts).toString() };
}

/** Why mutants cannot be run here; undefined: they can. */
export function obstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'mutants run in namespaces of their own: that needs root on Linux';
  const probe = spawnSync('setpriv', [
    '--pdeathsig',
    'KILL',
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    '--net',
    '--ipc',
    'ip',
    'link',
    'show',
    'lo',
  ]);
  return probe.status === 0
    ? undefined
    : 'mutants run in namespaces of their own: this needs setpriv, unshare, ip and a kernel that allows it';
}

/** Makes the directories that a sandbox needs. */
export function prepare({ root, work }: Sandbox): void {
  for (const dir of [join(work, 'src'), join(work, 'out'), join(work, 'tmp'), join(root, 'node_modules/.cache')])
    mkdirSync(dir, { recursive: true });
}
