import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseReports } from '../../src/host/answer.ts';
import { library } from '../../src/host/lib/index.ts';
import type { Facts } from '../../src/model/facts.ts';
import { type Host, LOCAL, type Output } from '../../src/model/host.ts';
import { lines, rawScript, type Script, sh } from '../../src/model/script.ts';
import { shellFile } from '../rig/posix-shells.ts';
import { runSmall } from '../rig/starter.ts';

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
  const busybox = shellFile('busybox');
  if (busybox !== undefined) {
    const path = join(scratch, 'busybox');
    mkdirSync(path, { recursive: true });
    spawnSync(busybox, ['--install', '-s', path]);
    found.push({ name: 'busybox', shell: [busybox, 'sh'], path });
  }
  return found;
}

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
      sh`KX_REPORTS=${`${file}.reports`}`,
      sh`KX_STATE=${join(this.scratch, 'state')} KX_RUN=${join(this.scratch, 'run')} KX_UID=${String(process.getuid?.())}`,
    ];
    writeFileSync(file, `${lines(...start, rawScript('kx_env'), ...path, script).script}\n`);
    const { code, stdout: bytes, stderr } = await runSmall(sh`exec ${this.variant.shell} ${file}`.script);
    const reports = existsSync(`${file}.reports`) ? readFileSync(`${file}.reports`, 'utf8') : '';
    return { code, stdout: bytes.toString('utf8'), stderr, bytes, truncated: false, ...parseReports(reports) };
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
