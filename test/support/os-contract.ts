import { copyFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { beforeImage } from '../../src/engine/before-image.ts';
import { connectMachine, type LinkedMachine } from '../../src/host/index.ts';
import { library } from '../../src/host/lib/index.ts';
import type { Host, Machine, Output } from '../../src/model/host.ts';
import { lines, type Script, sh } from '../../src/model/script.ts';
import type { AnyStep, StepIo, Verdict } from '../../src/plan/step.ts';
import { shellFile } from '../rig/posix-shells.ts';
import { type Rig, type RigHost, type RigOptions, startRig } from '../rig/sshd.ts';
import { seed, some, thorough } from '../rig/thorough.ts';

const io: StepIo = {
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

/** One situation that a step over the system's own files and tools meets. Everything happens inside a host of the rig. */
export interface SystemCase {
  readonly name: string;
  readonly step: AnyStep;
  /** Makes the situation. */
  readonly before?: string;
  readonly want: unknown;
  /** Prints everything that the step may touch. */
  readonly look: string;
  /** What `look` must find once it is applied. */
  readonly after?: RegExp;
}

/** Every case in a thorough run, else half of those of every step, others in every run. */
export function halfOf(cases: readonly SystemCase[]): readonly SystemCase[] {
  return [...Map.groupBy(cases, ({ step }) => step.kind).values()].flatMap((alike) =>
    some(alike, Math.ceil(alike.length / 2)),
  );
}

const LIBRARY = '/srv/kx-test/lib';
/** The busybox of the tests, on the host: that of the machine may run applets instead of stand-ins. */
export const BUSYBOX = '/srv/kx-test/busybox';

/** For a shell that the library was not loaded into yet. The library sets a path of its own; the test's stays. */
export function withLibrary(script: Script): string {
  return lines(sh`kx_test_path=$PATH; . ${LIBRARY}; kx_env; PATH=$kx_test_path`, script).script;
}

/** A shell of the host. */
export interface HostShell {
  readonly name: string;
  readonly run: (script: Script) => Promise<Output>;
}

/** A host of the rig with stand-ins of its own in /usr/local/sbin, which comes first on the path. */
export class SystemBench {
  readonly rig: Rig;
  readonly host: RigHost;
  readonly machine: LinkedMachine;
  private turn = seed;

  private constructor(rig: Rig, host: RigHost, machine: LinkedMachine) {
    this.rig = rig;
    this.host = host;
    this.machine = machine;
  }

  static async start(options: RigOptions = {}): Promise<SystemBench> {
    const rig = await startRig(options);
    const host = rig.hosts[0] as RigHost;
    const busybox = shellFile('busybox');
    if (busybox !== undefined) {
      await copyFile(busybox, host.path(BUSYBOX));
      await host.exec(`mkdir -p /srv/kx-test/bb && ${BUSYBOX} --install -s /srv/kx-test/bb`);
    }
    const machine = await connectMachine(host.target());
    await machine.write(LIBRARY, library, { mode: '0644' });
    return new SystemBench(rig, host, machine);
  }

  async close(): Promise<void> {
    await this.machine.close();
    await this.rig.close();
  }

  /** Puts a stand-in for a command where it is found first. */
  async standIn(name: string, script: string): Promise<void> {
    const path = `/usr/local/sbin/${name}`;
    await this.machine.write(path, `#!/bin/sh\n${script}`, { mode: '0755' });
  }

  /** The host's own shell, bash, and busybox with nothing but its own tools and the stand-ins. */
  shells(): readonly HostShell[] {
    const { machine } = this;
    const inBusybox = (script: Script) =>
      machine.run(sh`PATH=/usr/local/sbin:/srv/kx-test/bb:/usr/bin; ${BUSYBOX} ash -c ${withLibrary(script)}`);
    return [
      { name: 'dash', run: (script) => machine.run(script) },
      { name: 'bash', run: (script) => machine.run(sh`bash --posix -c ${withLibrary(script)}`) },
      ...(shellFile('busybox') === undefined ? [] : [{ name: 'busybox', run: inBusybox }]),
    ];
  }

  /**
   * Apply, then satisfied; apply again; revert, then as before; also when it was killed in the middle. Case by case in
   * another shell; a thorough run tries every case in all of them.
   */
  async contract(one: SystemCase, shells = this.shells()): Promise<void> {
    const turn = shells.slice(this.turn % shells.length).slice(0, 1);
    this.turn += 1;
    for (const shell of thorough ? shells : turn) await this.contractIn(one, shell);
  }

  private async contractIn(one: SystemCase, shell: HostShell): Promise<void> {
    const { step, want } = one;
    const say = `${one.name} in ${shell.name}`;
    if (one.before !== undefined) await this.host.exec(`set -e\n${one.before}`);
    const host = { name: 'host1', run: shell.run } as unknown as Host;
    const check = async () => step.judge!(await shell.run(step.probe!(want)), want);
    const look = async () => await this.host.exec(one.look);
    const before = await look();
    const first = (await check()) as Verdict<unknown, unknown>;
    expect(first.verdict, say).toBe('needed');
    expect('diff' in first && first.diff.length, say).toBeGreaterThan(0);
    expect(await look(), `${say}: a probe changes nothing`).toBe(before);

    const apply = step.apply(host, want, io) as Script;
    for (const seconds of ['0.005', '0.02']) await shell.run(killedAfter(seconds, apply));
    good(await shell.run(apply), say);
    expect(await check(), say).toMatchObject({ verdict: 'satisfied' });
    const applied = await look();
    expect(applied, say).not.toBe(before);
    if (one.after) expect(applied, say).toMatch(one.after);
    good(await shell.run(apply), say);
    expect(await look(), `${say}: applying again is harmless`).toBe(applied);

    const seen: unknown = JSON.parse(JSON.stringify('seen' in first ? first.seen : null));
    const revert = step.revert!(host, want, seen) as Script;
    await shell.run(killedAfter('0.01', revert));
    good(await shell.run(revert), say);
    expect(await look(), `${say}: reverting restores`).toBe(before);
    expect(await check(), `${say}: and the difference is the same again`).toEqual(first);
    good(await shell.run(revert), say);
    expect(await look(), `${say}: reverting again is harmless`).toBe(before);
  }

  /** Applies a step as the engine does, with its before-image, and gives what the script said. */
  async apply(step: AnyStep, want: unknown): Promise<Output> {
    const image = beforeImage('run', { ref: { node: 'node' }, step, want, nature: 'state' }, () => undefined);
    const script = step.apply(this.machine as Machine, want, io) as Script;
    return await this.machine.run(image ? lines(image.script, script) : script);
  }

  /** Runs a step's check. */
  async check(step: AnyStep, want: unknown): Promise<Verdict<unknown, unknown>> {
    return step.judge!(await this.machine.run(step.probe!(want)), want) as Verdict<unknown, unknown>;
  }
}

/** In the very shell of the case: some are in a network of their own, and nothing of theirs may reach another. */
function killedAfter(seconds: string, script: Script): Script {
  return sh`timeout -s KILL ${seconds} sh -c ${withLibrary(script)} >/dev/null 2>&1`;
}

function good(output: Output, say: string): void {
  expect({ code: output.code, stderr: output.stderr, say }).toMatchObject({ code: 0, stderr: '' });
}
