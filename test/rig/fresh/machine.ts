import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** How a command in a fresh machine ended. */
export interface Ended {
  readonly code: number | null;
  /** Both streams, as they came. */
  readonly output: string;
}

/** A machine that nobody has used. Everything in it ends with it, and with the process that made it. */
export interface FreshMachine extends AsyncDisposable {
  /** Where its /src is, from outside. */
  readonly sources: string;
  run(script: string, options?: RunOptions): Promise<Ended>;
}

/** How a command is run. */
export interface RunOptions {
  /** Without one it may take as long as it wants. */
  readonly timeoutMs?: number;
  /** What it says goes here as it comes. */
  readonly say?: (text: string) => void;
}

/** What a machine is made of. */
export interface Place {
  /** A directory that becomes its root: what is written there stays. */
  readonly root: string;
  /** What it begins with, where that must stay as it is. */
  readonly base?: string;
  /** A directory for what it writes; needed with `base`. */
  readonly use?: string;
  /** Directories of this machine that it sees, and changes for itself only: from → to. */
  readonly copies?: Readonly<Record<string, string>>;
}

/**
 * The first process in the machine's namespaces. pivot_root, not chroot: what joins a namespace that was made in here must get
 * this root. Homes, sources and temporary files are no overlay: the lab makes overlays of its own there, and they do not nest.
 * It ends with its standard input, and all processes and mounts with it. It ignores its children, so that none stays a zombie.
 */
const INIT = `
set -eu
root=$1 base=$2 use=$3
shift 3
if [ -n "$base" ]; then
  mkdir -p "$use/upper" "$use/work"
  mount -t overlay fresh -o "lowerdir=$base,upperdir=$use/upper,workdir=$use/work" "$root" 2>/dev/null ||
    cp -a "$base/." "$root/"
  for dir in root src tmp var/tmp; do
    mkdir -p "$use/plain/$dir" "$root/$dir"
    cp -a "$root/$dir/." "$use/plain/$dir/"
    mount --bind "$use/plain/$dir" "$root/$dir"
  done
  chmod 1777 "$root/tmp" "$root/var/tmp"
else
  mount --bind "$root" "$root"
fi
while [ $# -gt 0 ]; do
  mkdir -p "$use/copies$2/upper" "$use/copies$2/work" "$root$2"
  mount -t overlay copy -o "lowerdir=$1,upperdir=$use/copies$2/upper,workdir=$use/copies$2/work" "$root$2"
  shift 2
done
mount -t proc proc "$root/proc"
for dir in sys dev; do mount --rbind "/$dir" "$root/$dir"; done
mount -t tmpfs -o mode=0755 run "$root/run"
mkdir -p "$root/run/lock" "$root/.outside"
cd "$root"
pivot_root . .outside
cd /
PATH=/usr/sbin:/usr/bin:/sbin:/bin
umount -l /.outside
rmdir /.outside
trap '' CHLD
echo up
exec cat >/dev/null
`;

/** Starts a machine. */
export async function enter(place: Place): Promise<FreshMachine> {
  const copies = Object.entries(place.copies ?? {}).flat();
  mkdirSync(place.root, { recursive: true });
  const guard = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', 'sh', '-c', INIT, 'fresh'].concat(
      place.root,
      place.base ?? '',
      place.use ?? '',
      copies,
    ),
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  await started(guard).catch((error: unknown) => {
    guard.stdin.end();
    throw error;
  });
  // unshare waits outside; its only child is the first process inside.
  const pid = readFileSync(`/proc/${guard.pid}/task/${guard.pid}/children`, 'utf8').trim().split(' ')[0] ?? '';
  return {
    sources: join(place.use === undefined ? place.root : join(place.use, 'plain'), 'src'),
    run: (script, options = {}) => run(pid, script, options),
    [Symbol.asyncDispose]: async () => {
      await end(guard, pid);
      if (place.use !== undefined) rmSync(place.use, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Starts a machine whose changes are thrown away, with directories of this one that it may change for itself. */
export async function freshMachine(base: string, uses: string, copies: Place['copies'] = {}): Promise<FreshMachine> {
  removeAbandoned(uses);
  const use = join(uses, `${process.pid}-${Date.now()}`);
  const root = join(use, 'root');
  mkdirSync(root, { recursive: true });
  const here = Object.fromEntries(Object.entries(copies).filter(([from]) => existsSync(from)));
  return enter({ root, base, use, copies: here });
}

/** Puts this checkout into a machine as /src: the last commit, and what has changed since in files that git knows or would. */
export function copyCheckout(machine: FreshMachine, repository: string): void {
  const script = `set -e
git clone --quiet --no-checkout --no-hardlinks -- "$1" "$2"
git -C "$2" reset --quiet
cd -- "$1"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' name; do
  [ ! -e "$name" ] || printf '%s\\0' "$name"
done | tar --create --null --files-from=- | tar --extract --no-same-owner --directory="$2"`;
  const { status, stderr } = spawnSync('bash', ['-c', script, 'copy', repository, machine.sources], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the checkout could not be copied: ${stderr}`);
}

/** What somebody has who has just logged in, and how this machine reaches Go modules. */
function environment(): readonly string[] {
  const go = spawnSync('go', ['env', 'GOPROXY', 'GOSUMDB', 'GONOSUMDB'], { encoding: 'utf8', cwd: '/' });
  const [proxy, sumdb, nosumdb] = go.status === 0 ? go.stdout.split('\n') : [];
  const wanted: Readonly<Record<string, string | undefined>> = {
    HOME: '/root',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
    GOPROXY: proxy || process.env['GOPROXY'],
    GOSUMDB: sumdb || process.env['GOSUMDB'],
    GONOSUMDB: nosumdb || process.env['GONOSUMDB'],
    HTTPS_PROXY: process.env['HTTPS_PROXY'],
    HTTP_PROXY: process.env['HTTP_PROXY'],
    NO_PROXY: process.env['NO_PROXY'],
    KUBEXM_TEST_FRESH: 'inside',
  };
  return Object.entries(wanted).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
}

function run(pid: string, script: string, { timeoutMs, say }: RunOptions): Promise<Ended> {
  const args = ['--target', pid, '--mount', '--pid', '--', '/usr/bin/env', '-i', ...environment(), 'sh', '-c', script];
  const child = spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let output = '';
  const listen = (chunk: Buffer): void => {
    output += chunk.toString();
    say?.(chunk.toString());
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

function started(guard: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      if (/^up$/m.test(said)) resolve();
    };
    guard.stdout?.on('data', listen);
    guard.stderr?.on('data', listen);
    guard.once('error', reject);
    guard.once('exit', () => reject(new Error(`a fresh machine did not start: ${said}`)));
  });
}

async function end(guard: ChildProcess, pid: string): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const gone = new Promise((resolve) => guard.once('exit', resolve));
  guard.stdin?.end();
  // The first process of a namespace takes all others with it.
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has ended with its input.
  }
  await gone;
}

/** What killed processes have left. */
function removeAbandoned(uses: string): void {
  if (!existsSync(uses)) return;
  for (const name of readdirSync(uses)) {
    if (!existsSync(`/proc/${name.split('-')[0]}`)) rmSync(join(uses, name), { recursive: true, force: true });
  }
}
