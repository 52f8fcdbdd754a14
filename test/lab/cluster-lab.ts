import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { type CliOptions, cli, type Ended } from '../cli/rig/cli.ts';
import { changesOn } from './changes.ts';
import { type TestLab, type TestLabOptions, withLab } from './fixture.ts';

export const MINUTE = 60_000;
/** Kubernetes itself is built from source where nothing but package registries is reachable: once, then it is in the cache. */
export const BUILD = 40 * MINUTE;

/** How `kubexm` is started, beside its words. */
export interface KubexmOptions extends Pick<CliOptions, 'started'> {
  readonly with?: NodeJS.ProcessEnv;
}

/** A lab, a configuration for it, and the artifacts: all that a cluster needs. */
export interface ClusterLab {
  readonly lab: TestLab;
  /** Where kubexm is started, and has its work directory. */
  readonly dir: string;
  kubexm(words: readonly string[], options?: KubexmOptions): Promise<Ended>;
  /** Succeeds, or the test has failed. */
  well(words: readonly string[], options?: KubexmOptions): Promise<Ended>;
  /** kubectl on the first master. */
  kubectl(words: string): Promise<string>;
  /** The states of the nodes, as `get nodes` shows them. */
  states(): Promise<readonly string[]>;
  /** Everything that is not as it was before the first change, by machine. */
  traces(): Promise<Readonly<Record<string, readonly string[]>>>;
  close(): Promise<void>;
}

/** Makes one. `config`: the text of the configuration, if it is not the lab's own. */
export async function clusterLab(
  machines: number,
  options: TestLabOptions & { readonly config?: (lab: TestLab) => Promise<string>; readonly master?: number } = {},
): Promise<ClusterLab> {
  const { config, master = 1, ...labOptions } = options;
  const lab = await withLab(machines, labOptions);
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-lab-cluster-'));
  const env = { ...lab.env, KUBEXM_SOURCES: process.env['KUBEXM_SOURCES'] ?? 'go' };
  const kubexm: ClusterLab['kubexm'] = (words, { with: more, ...rest } = {}) =>
    cli([...words, '-f', 'c.yaml', '--yes'], { cwd: dir, env: { ...env, ...more }, ...rest });
  const well: ClusterLab['well'] = async (words, rest) => {
    const ended = await kubexm(words, rest);
    expect(ended.code, `${words.join(' ')}\n${ended.stdout}\n${ended.stderr}`).toBe(0);
    return ended;
  };
  const close = async () => {
    await lab.close();
    rmSync(dir, { recursive: true, force: true });
  };
  const kubectl = (words: string) => lab.exec(master, `kubectl --kubeconfig /etc/kubernetes/admin.conf ${words}`);
  try {
    writeFileSync(join(dir, 'c.yaml'), (await config?.(lab)) ?? labConfig(await lab.look()));
    await well(['download', 'artifacts']);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    lab,
    dir,
    kubexm,
    well,
    kubectl,
    close,
    states: async () => {
      const nodes = await kubectl('get nodes --no-headers');
      return nodes
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)[1] ?? '');
    },
    traces: async () => {
      const all = (await lab.look()).machines.map(
        async ({ name }) => [name, await changesOn(name, { env: lab.env })] as const,
      );
      return Object.fromEntries((await Promise.all(all)).filter(([, changes]) => changes.length > 0));
    },
  };
}

/** Looks until something is so; gives up after some minutes. */
export async function until(what: string, look: () => Promise<boolean>, minutes = 6): Promise<void> {
  const end = Date.now() + minutes * MINUTE;
  while (!(await look().catch(() => false))) {
    if (Date.now() > end) throw new Error(`${what}: not so after ${minutes} minutes`);
    await sleep(250);
  }
}
