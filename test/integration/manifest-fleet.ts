import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import type { RunPipelineOptions } from '../../src/index.ts';
import { called, type DriveHooks, type Driven, driven } from '../rig/driven.ts';
import { loaded, program } from '../rig/programs.ts';
import { type Rig, startRig } from '../rig/sshd.ts';
import type { ChangesParams } from './manifest-pipeline.ts';
import type * as Run from './manifest-run.ts';

const ROOT = '/srv/kx-test/fleet';

/** Makes what is there before kubexm comes, for so many groups of changes. */
export function furnishing(root: string, groups: number): string {
  return `rm -rf ${root}; mkdir -p ${root} && cd ${root} || exit
for i in $(seq 0 ${groups - 1}); do
  mkdir g$i && cd g$i || exit
  echo "mine $i" >conf; chmod 0604 conf; echo '127.0.0.1 localhost' >hosts; ln -s conf link
  echo '#!/bin/sh' >script; chmod 0755 script; echo old >gone; chmod 0444 gone
  mkdir -p tree/a/b; echo t >tree/a/b/t; chmod 0711 tree/a; ln -s ../a tree/l; mkdir tree/empty; chown 7:8 tree/empty
  cd ..
done`;
}

/** How a process is started. */
export interface FleetOptions
  extends Pick<DriveHooks, 'crashAt' | 'onEvent'>,
    Partial<Omit<RunPipelineOptions, 'env' | 'sinks'>> {
  readonly params?: Partial<ChangesParams>;
}

/** Hosts with files of their own, which are changed and reset: by processes where they are to be killed. */
export class Fleet {
  readonly rig: Rig;
  readonly dir: string;
  readonly groups: number;

  private constructor(rig: Rig, dir: string, groups: number) {
    this.rig = rig;
    this.dir = dir;
    this.groups = groups;
  }

  static async start(hosts: number, groups: number): Promise<Fleet> {
    const dir = mkdtempSync(join(tmpdir(), 'kubexm-fleet-'));
    const fleet = new Fleet(await startRig({ hosts }), dir, groups);
    fleet.writeConfig('fleet');
    return fleet;
  }

  get names(): readonly string[] {
    return this.rig.hosts.map((host) => host.name);
  }

  writeConfig(name: string): void {
    const hosts = this.rig.hosts.map(
      (host, i) =>
        `  - {name: ${host.name}, address: 127.0.0.1, port: ${host.port}, internalAddress: 10.9.0.${i + 1}, privateKeyPath: ${this.rig.key}}`,
    );
    writeFileSync(
      join(this.dir, 'cluster.yaml'),
      `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: ${name}}
spec:
  ssh: {sshConfig: none}
  hosts:
${hosts.join('\n')}
  roleGroups: {master: [${this.names[0]}], etcd: [${this.names[0]}], worker: [${this.names.join(', ')}]}
  kubernetes: {version: v1.34.4}
`,
    );
  }

  /** What the hosts have before kubexm comes. */
  async furnish(): Promise<void> {
    rmSync(join(this.dir, '.kubexm'), { recursive: true, force: true });
    const script = `umount ${ROOT}/*/d.data/mnt 2>/dev/null; rm -rf /var/lib/kubexm /run/kubexm; ${furnishing(ROOT, this.groups)}`;
    await Promise.all(this.rig.hosts.map((host) => host.exec(script)));
  }

  /** Everything below the root, as lines that can be compared. */
  async picture(): Promise<readonly (readonly string[])[]> {
    const script = `cd ${ROOT} && find . -mindepth 1 -printf '%p %y %m %U:%G %l\\n' -type f -exec sha256sum {} + | sort`;
    const texts = await Promise.all(this.rig.hosts.map((host) => host.exec(script)));
    return texts.map((text) => text.trimEnd().split('\n'));
  }

  /** What kubexm itself left: nothing, in the end. Shells of a killed process take a moment to clean up. */
  async traces(): Promise<readonly string[]> {
    const look =
      'i=0; while ls -d /var/lib/kubexm /run/kubexm 2>/dev/null; do [ $((i += 1)) -lt 600 ] || exit 0; sleep 0.1; done; printf gone';
    const found = await Promise.all(this.rig.hosts.map((host) => host.exec(look)));
    return found.filter((text) => !text.endsWith('gone'));
  }

  change(options: FleetOptions = {}): Promise<Driven> {
    return this.drive('change', { root: ROOT, groups: this.groups, version: 1, ...options.params }, options);
  }

  reset(options: FleetOptions = {}): Promise<Driven> {
    return this.drive('reset', { nodes: this.names }, options);
  }

  /** The transitions of a run's journal. */
  transitions(run: string): readonly string[] {
    const lines = readFileSync(join(this.dir, '.kubexm/fleet/runs', run, 'journal.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1);
    return lines.map((line) => {
      const { node, phase } = JSON.parse(line) as { node: string; phase: string };
      return `${node}:${phase}`;
    });
  }

  async close(): Promise<void> {
    await this.rig.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private async drive(what: string, params: object, options: FleetOptions): Promise<Driven> {
    const { params: _, crashAt, onEvent, ...rest } = options;
    const words = [what, join(this.dir, 'cluster.yaml'), this.dir, JSON.stringify(params), JSON.stringify(rest)];
    if (crashAt === undefined && onEvent === undefined) {
      const { runChanges } = await loaded<typeof Run>('manifest-run');
      return called(runChanges, words);
    }
    return driven([program('manifest-drive'), ...words], { crashAt, onEvent });
  }
}

/** The driver of the manifest's pipelines as a file that starts fast. */
export async function bundleChanges(outfile: string): Promise<void> {
  const entry = fileURLToPath(new URL('./manifest-drive.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, ...bundleOptions });
}
