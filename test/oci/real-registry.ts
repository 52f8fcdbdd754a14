import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

const MODULE = 'github.com/distribution/distribution/v3/cmd/registry@v3.0.0';

/** How long building may take on a busy machine. */
export const BUILD_MS = 15 * 60_000;

/** The registry that everybody runs, or why there is none here. */
export type Program = { readonly path: string } | { readonly missing: string };

/** Finds the registry's program; builds it once, through the Go module proxy of the environment, which takes minutes. */
export async function registryProgram(): Promise<Program> {
  const tools = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubexm', 'test-tools');
  const path = join(tools, 'registry-3.0.0');
  if (existsSync(path)) return { path };
  if ((await run('go', ['version'])) !== '') return { missing: 'needs Go to build the registry' };
  mkdirSync(tools, { recursive: true });
  const dir = mkdtempSync(join(tools, 'build-'));
  try {
    const wrong = await run('nice', ['-n', '19', 'go', 'install', '-trimpath', MODULE], {
      GOBIN: dir,
      CGO_ENABLED: '0',
    });
    if (wrong !== '') return { missing: `the registry cannot be built here: ${wrong}` };
    renameSync(join(dir, 'registry'), path);
    return { path };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The last line of why a program failed, or nothing. */
function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, timeout: BUILD_MS };
    execFile(program, args, options, (error, _, stderr) => {
      resolve(error === null ? '' : (stderr.trim().split('\n').at(-1) ?? '') || error.message);
    });
  });
}

/** A registry that runs. */
export class RealRegistry {
  readonly host: string;
  private readonly child: ChildProcess;
  private readonly read: () => string;

  private constructor(host: string, child: ChildProcess, read: () => string) {
    this.host = host;
    this.child = child;
    this.read = read;
  }

  /** Starts it on a free port, with its data in a directory of its own. `more` is merged into its configuration. */
  static async start(
    program: string,
    base: string,
    more: { readonly http?: object; readonly auth?: object },
  ): Promise<RealRegistry> {
    const dir = mkdtempSync(join(base, 'registry-'));
    const config = join(dir, 'config.yml');
    writeFileSync(
      config,
      stringify({
        version: 0.1,
        log: { level: 'info', accesslog: { disabled: false } },
        storage: { filesystem: { rootdirectory: join(dir, 'data') } },
        http: { addr: '127.0.0.1:0', secret: 'not one', ...more.http },
        ...(more.auth === undefined ? {} : { auth: more.auth }),
      }),
    );
    const child = spawn(program, ['serve', config], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, OTEL_TRACES_EXPORTER: 'none' },
    });
    let said = '';
    const listening = Promise.withResolvers<string>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = /listening on (127\.0\.0\.1:[0-9]+)/.exec(said)?.[1];
        if (found !== undefined) listening.resolve(found);
      });
    }
    child.once('exit', (code) => listening.reject(new Error(`the registry ended with ${code}: ${said}`)));
    return new RealRegistry(await listening.promise, child, () => said);
  }

  /** What it was asked and what it answered, such as `PUT /v2/… 201`. */
  asked(pattern: RegExp): readonly string[] {
    const lines = this.read().matchAll(/"((?:GET|HEAD|POST|PUT|PATCH) [^" ]+) HTTP[^"]*" ([0-9]+)/g);
    return [...lines].map(([, request, status]) => `${request} ${status}`).filter((line) => pattern.test(line));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('close', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }
}
