import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import type { Host, Output } from '../../src/model/host.ts';
import type { Script } from '../../src/model/script.ts';
import type { AnyStep, StepIo, Verdict } from '../../src/plan/step.ts';
import { everyCase, seed } from '../rig/thorough.ts';
import { ShellHost, type Variant, variants } from './shell-host.ts';

/** A directory of this test file's own, gone when its tests are over. */
export function scratch(name: string): string {
  const base = mkdtempSync(join(tmpdir(), `kubexm-${name}-`));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  return base;
}

/** Nobody is there, and nobody asks. */
export const io: StepIo = {
  signal: new AbortController().signal,
  progress: () => undefined,
  report: () => undefined,
  say: () => undefined,
  line: () => undefined,
  sent: () => undefined,
  ask: async () => 'yes',
  redact: () => undefined,
  secret: () => undefined,
};

/** Runs a step's check. */
export async function check(host: Host, step: AnyStep, want: unknown): Promise<Verdict<unknown, unknown>> {
  if (!step.probe || !step.judge) throw new TypeError(`${step.kind} has no check`);
  return step.judge(await host.run(step.probe(want)), want);
}

/** Runs the script of a step. */
export async function perform(host: Host, step: AnyStep, want: unknown): Promise<Output> {
  return await host.run(step.apply(host, want, io) as Script);
}

/** The shells of this machine, and hosts made of them. */
export class Bench {
  readonly base: string;
  readonly shells: readonly Variant[];

  constructor(base: string) {
    this.base = base;
    this.shells = variants(base);
  }

  /** Registers a test where it is this shell's turn: each is tried in one of them, in another in every run; or in all. */
  inTurn(variant: Variant): (title: string, body: () => Promise<void>) => void {
    const place = this.shells.indexOf(variant);
    let count = 0;
    return (title, body) => {
      if (everyCase() || (count++ + seed) % this.shells.length === place) test(title, body);
    };
  }

  host(variant: Variant): ShellHost {
    return new ShellHost(variant, mkdtempSync(join(this.base, 'host-')));
  }

  dir(name: string): string {
    return mkdtempSync(join(this.base, `${name}-`));
  }

  /** A shell with nothing but these tools and the few that every machine has. */
  only(name: string, tools: readonly string[]): Variant {
    const path = this.dir('tools');
    const basics = ['cat', 'date', 'grep', 'head', 'id', 'printf', 'sed', 'sh', 'sleep', 'tail'];
    for (const tool of [...basics, ...tools]) {
      const found = DIRECTORIES.map((dir) => join(dir, tool)).find(existsSync);
      if (found !== undefined) symlinkSync(found, join(path, tool));
    }
    return { name, shell: ['/bin/sh'], path };
  }
}

const DIRECTORIES = ['/usr/bin', '/bin', '/usr/sbin'];

/** Whether this machine has a tool. */
export function has(tool: string): boolean {
  return DIRECTORIES.some((dir) => existsSync(join(dir, tool)));
}

/** Lets a server listen on a free port of the loopback. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
