import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { library } from '../../src/host/lib/index.ts';
import type { Facts } from '../../src/model/facts.ts';
import { type Host, LOCAL, type Output } from '../../src/model/host.ts';
import { lines, rawScript, type Script, sh } from '../../src/model/script.ts';

/** A shell with the tools that come with it. */
export interface Variant {
  readonly name: string;
  readonly shell: readonly string[];
  /** Directory of tools instead of the system's. */
  readonly path: string | undefined;
}

/** The shells that this machine has: its own, bash, and busybox with nothing but busybox's tools. */
export function variants(scratch: string): readonly Variant[] {
  const found: Variant[] = [];
  if (existsSync('/bin/dash')) found.push({ name: 'dash', shell: ['/bin/dash'], path: undefined });
  if (existsSync('/bin/bash')) found.push({ name: 'bash', shell: ['/bin/bash', '--posix'], path: undefined });
  const busybox = ['/bin/busybox', '/usr/bin/busybox'].find(existsSync);
  if (busybox !== undefined) {
    const path = join(scratch, 'busybox');
    mkdirSync(path, { recursive: true });
    spawnSync(busybox, ['--install', '-s', path]);
    found.push({ name: 'busybox', shell: [busybox, 'sh'], path });
  }
  return found;
}

/**
 * Starts shells from a small process: this one is big, and slow to start others. It ends with its input, and so with us. One
 * that reads a line `ID FILE SHELL…` writes `ID CODE` when that shell has ended; others run meanwhile.
 */
class Starter {
  private readonly waiting = new Map<string, (code: number) => void>();
  private readonly child = spawn('/bin/sh', ['-c', STARTER], { stdio: ['pipe', 'pipe', 'inherit'] });
  private count = 0;

  constructor() {
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const [id = '', code] = line.split(' ');
      this.waiting.get(id)?.(Number(code));
      this.waiting.delete(id);
    });
    // Nobody waits for it who waits for no shell.
    this.child.unref();
  }

  /** Runs a file to its end, its output in files beside it. */
  run(shell: readonly string[], file: string): Promise<number> {
    const id = String(this.count++);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.child.stdin.write(`${id} ${file} ${shell.join(' ')}\n`);
    });
  }
}

const STARTER = `while read -r id file shell; do
  { $shell "$file" >"$file.out" 2>"$file.err" </dev/null; echo "$id $?"; } &
done`;

let starter: Starter | undefined;

/** A host that runs every script in a new shell, with the library of the hosts loaded. Only what the contract needs. */
export class ShellHost implements Host {
  readonly name = LOCAL;
  readonly facts = { hostname: 'here', kernel: 'test' } as Facts;
  private readonly variant: Variant;
  private readonly scratch: string;
  private count = 0;

  constructor(variant: Variant, scratch: string) {
    this.variant = variant;
    this.scratch = scratch;
    writeFileSync(join(scratch, 'lib'), library);
  }

  async run(script: Script): Promise<Output> {
    const file = join(this.scratch, `script-${this.count++}`);
    const path = this.variant.path === undefined ? [] : [sh`PATH=${this.variant.path}`];
    const start = [
      sh`. ${join(this.scratch, 'lib')}`,
      sh`KX_STATE=${join(this.scratch, 'state')} KX_RUN=${join(this.scratch, 'run')} KX_UID=${String(process.getuid?.())}`,
    ];
    writeFileSync(file, `${lines(...start, rawScript('kx_env'), ...path, script).script}\n`);
    starter ??= new Starter();
    const code = await starter.run(this.variant.shell, file);
    const bytes = readFileSync(`${file}.out`);
    return {
      code,
      stdout: bytes.toString('utf8'),
      stderr: readFileSync(`${file}.err`, 'utf8'),
      bytes,
      truncated: false,
    };
  }

  async write(): Promise<void> {
    throw new Error('no step uses it');
  }

  async put(
    localPath: string,
    path: string,
    options: { readonly mode?: string; readonly owner?: string } = {},
  ): Promise<void> {
    const done = await this.run(
      sh`cp -- ${localPath} ${`${path}.put`} && chmod ${options.mode ?? '0644'} ${`${path}.put`} && mv -fT -- ${`${path}.put`} ${path}`,
    );
    if (done.code !== 0) throw new Error(done.stderr);
  }

  async get(path: string, localPath: string, options: { readonly mode?: string } = {}): Promise<void> {
    copyFileSync(path, localPath);
    chmodSync(localPath, Number.parseInt(options.mode ?? '0600', 8));
  }
}
