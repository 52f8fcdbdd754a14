import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import type { RunEvent, RunPipelineOptions } from '../../src/index.ts';
import { called, type DriveHooks, type Driven, driven } from '../rig/driven.ts';
import { loaded, program } from '../rig/programs.ts';
import { type Rig, startRig } from '../rig/sshd.ts';
import type * as Run from './drive-run.ts';
import type { SampleParams } from './pipeline.ts';

/** How a run is started. */
export interface DriveOptions extends DriveHooks, Partial<Omit<RunPipelineOptions, 'env' | 'sinks'>> {
  readonly params?: Partial<SampleParams>;
  /** Is told what happens, in a run that needs no process of its own. */
  readonly heard?: (event: RunEvent) => void;
}

const PARAMS: SampleParams = { root: '/srv/kx-test/sample', jobSeconds: 0.3, failOn: '' };

/** How many seconds a job takes that the test ends. */
export const LONG_JOB = 59;

/** Hosts on loopback, a cluster file for them, and the sample pipeline: in a process where it is to be killed. */
export class Sample {
  readonly rig: Rig;
  readonly dir: string;

  private constructor(rig: Rig, dir: string) {
    this.rig = rig;
    this.dir = dir;
  }

  static async start(hosts: number): Promise<Sample> {
    const dir = mkdtempSync(join(tmpdir(), 'kubexm-sample-'));
    const rig = await startRig({ hosts });
    const sample = new Sample(rig, dir);
    sample.writeConfig('');
    return sample;
  }

  /** Writes the cluster's file; `more` goes below spec. */
  writeConfig(more: string, login = `privateKeyPath: ${this.rig.key}`): void {
    const hosts = this.rig.hosts.map(
      (host, i) =>
        `  - {name: ${host.name}, address: 127.0.0.1, port: ${host.port}, internalAddress: 10.9.0.${i + 1}, ${login}}`,
    );
    const names = this.rig.hosts.map((host) => host.name).join(', ');
    writeFileSync(
      this.config,
      `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: sample}
spec:
  ssh: {sshConfig: none}
  hosts:
${hosts.join('\n')}
  roleGroups: {master: [${this.rig.hosts[0]?.name}], etcd: [${this.rig.hosts[0]?.name}], worker: [${names}]}
  kubernetes: {version: v1.34.4}
${more}`,
    );
  }

  get config(): string {
    return join(this.dir, 'cluster.yaml');
  }

  get names(): readonly string[] {
    return this.rig.hosts.map((host) => host.name);
  }

  /** Runs the driver to its end: called where nothing happens to it, else in a process of its own. */
  async drive(options: DriveOptions = {}): Promise<Driven> {
    const { params, crashAt, with: more, onEvent, started, heard, ...rest } = options;
    const words = [this.config, this.dir, JSON.stringify({ ...PARAMS, ...params }), JSON.stringify(rest)];
    if ([crashAt, more, onEvent, started].every((hook) => hook === undefined)) {
      const { runSample } = await loaded<typeof Run>('sample-run');
      return called(runSample, words, heard);
    }
    return await driven([program('sample-drive'), ...words], { crashAt, with: more, onEvent, started });
  }

  /** Everything the sample leaves on the hosts, as text that can be compared. */
  async state(): Promise<string> {
    const script = `cd /srv/kx-test && find . -mindepth 1 -name joined -prune -printf '%p joined\\n' -o -type f -printf '%p %m ' -exec sha256sum {} \\; -o -printf '%p %y %m %l\\n' | sort`;
    const states = await Promise.all(this.rig.hosts.map(async (host) => `${host.name}\n${await host.exec(script)}`));
    return states.join('\n');
  }

  /**
   * What kubexm itself left on the hosts: nothing, after a run that succeeded. The shells of a run that was killed clean up
   * behind themselves, which takes them a moment.
   */
  async traces(): Promise<readonly string[]> {
    const look =
      'i=0; while ls -d /var/lib/kubexm /run/kubexm 2>/dev/null; do [ $((i += 1)) -lt 600 ] || exit 0; sleep 0.1; done';
    const found = await Promise.all(this.rig.hosts.map((host) => host.exec(`${look}; printf gone`)));
    return found.flatMap((text) => (text.endsWith('gone') ? [] : [...new Set(text.trim().split('\n'))]));
  }

  /** How often the once-only job was started and reverted on each host. */
  async onceLogs(): Promise<readonly string[]> {
    return Promise.all(this.rig.hosts.map((host) => host.exec('cat /srv/kx-test/sample/once.log 2>/dev/null || true')));
  }

  /** Lets jobs come to their end that would take very long: on each host, as soon as there is one. */
  async endLongJobs(hosts = this.rig.hosts): Promise<void> {
    const end = `i=0; until pkill -xf 'sleep ${LONG_JOB}'; do [ $((i += 1)) -lt 600 ] || exit; sleep 0.05; done`;
    await Promise.all(hosts.map((host) => host.exec(end)));
  }

  /** The hosts and the work directory as if nothing had ever run. */
  async reset(): Promise<void> {
    rmSync(join(this.dir, '.kubexm'), { recursive: true, force: true });
    const clean = 'rm -rf /srv/kx-test/sample* /var/lib/kubexm; rm -rf /run/kubexm';
    await Promise.all(this.rig.hosts.map((host) => host.exec(clean)));
  }

  /** The lines of the newest run's journal, without its header. */
  journal(): readonly { readonly node: string; readonly phase: string; readonly outcome?: string }[] {
    const runs = join(this.dir, '.kubexm/sample/runs');
    const newest = readdirSync(runs).sort().at(-1) ?? '';
    const lines = readFileSync(join(runs, newest, 'journal.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1);
    return lines.map((line) => JSON.parse(line));
  }

  async close(): Promise<void> {
    await this.rig.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Nodes that came out this way. */
export function nodesWith(driven: Driven, outcome: string): readonly string[] {
  const found = driven.events.flatMap((event) =>
    event.type === 'node-finished' && event.outcome === outcome ? [event.node] : [],
  );
  return found.toSorted();
}

/** The driver of the sample pipeline as a file that starts fast. */
export async function bundleDriver(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('./drive.ts', import.meta.url))],
    outfile,
    ...bundleOptions,
  });
}
