import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { pruneArtifacts } from '../../src/resource/index.ts';
import { artifactDirectory } from '../support/artifact-directory.ts';
import { type CliOptions, cli, tempDir } from './rig/cli.ts';

const CONFIG = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, password: env:NOT_SET_ANYWHERE}
  hosts:
    - {name: node1, address: 192.0.2.1}
    - {name: node2, address: 192.0.2.2, arch: arm64}
  roleGroups: {master: [node1], worker: [node2]}
  kubernetes: {version: v1.34.2}
  etcd: {type: kubeadm}
  network: {plugin: flannel}
`;

describe('artifacts on the command line', () => {
  let cwd: string;
  let offline: string;
  let env: NodeJS.ProcessEnv;
  const run = (args: string, options: CliOptions = {}) => cli(args.split(' '), { cwd, env, ...options });
  const kubeadm = () => join(cwd, '.kubexm/demo/kubernetes/1.34.2/amd64/kubeadm');
  const blobs = () => readdirSync(join(cwd, 'home/cache/artifacts/blobs/sha256'));

  beforeEach(() => {
    cwd = tempDir();
    offline = join(cwd, 'offline');
    mkdirSync(offline);
    writeFileSync(join(cwd, 'c.yaml'), CONFIG);
    env = { KUBEXM_HOME: join(cwd, 'home'), KUBEXM_SOURCES: `directory=${offline}` };
  });

  test('got, listed, verified, damaged, mended, pruned', async () => {
    const ids = await artifactDirectory(join(cwd, 'c.yaml'), offline);
    const before = await run('get artifacts -f c.yaml -o json');
    expect(before.code).toBe(0);
    const rows = JSON.parse(before.stdout) as { id: string; state: string }[];
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['needed']));

    const dry = await run('download artifacts -f c.yaml --dry-run --detailed-exitcode');
    expect(dry.code).toBe(2);
    expect(dry.stdout).toContain('+ kubernetes/1.34.2/arm64/kubelet: from directory');

    const got = await run('download artifacts -f c.yaml');
    expect(got.stderr).toContain('succeeded');
    expect(got.code).toBe(0);
    // A program of the cluster is a second name of the file in the cache, and can be run.
    expect(execFileSync(kubeadm(), { encoding: 'utf8' })).toBe('kubernetes/1.34.2/amd64/kubeadm\n');
    expect(statSync(kubeadm()).nlink).toBe(2);
    expect(statSync(join(cwd, '.kubexm/demo/container_runtime/containerd')).isDirectory()).toBe(true);

    // Nothing is asked any more: the source may be gone.
    rmSync(offline, { recursive: true });
    const again = await run('download artifacts -f c.yaml --detailed-exitcode');
    expect(again.code).toBe(0);
    expect((await run('verify artifacts -f c.yaml')).code).toBe(0);
    const list = await run('get artifacts -f c.yaml');
    expect(list.stdout).not.toMatch(/to get|cached/);
    expect(list.stderr).toContain(`${ids.length} of ${ids.length} are here`);

    // One byte is flipped: seen by its time, its content, and mended from the source.
    chmodSync(kubeadm(), 0o755);
    writeFileSync(kubeadm(), readFileSync(kubeadm(), 'utf8').replace('kubeadm', 'kubeadn'));
    expect((await run('get artifacts -f c.yaml')).stdout).toContain('changed');
    const bad = await run('verify artifacts -f c.yaml');
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('kubernetes/1.34.2/amd64/kubeadm');
    expect(bad.stderr).toContain('KX7022');
    const missing = await run('download artifacts -f c.yaml');
    expect(missing.code).toBe(1);
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    expect((await run('download artifacts -f c.yaml')).code).toBe(0);
    expect((await run('verify artifacts -f c.yaml')).code).toBe(0);

    // What a cluster uses stays; what none uses goes.
    const used = blobs().length;
    const [kept] = [await pruneArtifacts(join(cwd, 'home/cache/artifacts'), { dryRun: false, olderThanMs: -1000 })];
    expect([kept.files, blobs().length]).toEqual([0, used]);
    expect((await run('prune artifacts --yes')).code).toBe(0);
    rmSync(join(cwd, '.kubexm'), { recursive: true });
    await pruneArtifacts(join(cwd, 'home/cache/artifacts'), { dryRun: false, olderThanMs: -1000 });
    expect(blobs()).toEqual([]);
  });

  test('another cluster takes from the cache, and two runs at once do the work once', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    const both = await Promise.all([run('download artifacts -f c.yaml'), run('download artifacts -f c.yaml')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    writeFileSync(join(cwd, 'd.yaml'), CONFIG.replace('name: demo', 'name: other'));
    rmSync(join(offline, 'blobs'), { recursive: true });
    expect((await run('download artifacts -f d.yaml')).code).toBe(0);
    expect(statSync(kubeadm()).nlink).toBe(3);
  });

  test('what is optional may be absent: told once, and tried again when asked', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline, (id) => id.startsWith('nerdctl/'));
    const first = await run('download artifacts -f c.yaml');
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('the cluster does without nerdctl');
    const second = await run('download artifacts -f c.yaml --detailed-exitcode');
    expect(second.code).toBe(0);
    expect(second.stderr).not.toContain('does without');
    expect((await run('get artifacts -f c.yaml')).stdout).toMatch(/nerdctl .*absent/);
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    expect((await run('download artifacts -f c.yaml --again')).code).toBe(0);
    expect((await run('get artifacts -f c.yaml')).stdout).not.toContain('absent');
  });

  test('what is needed and nowhere to be had is an error that names every source', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline, (id) => id.startsWith('runc/'));
    const { code, stderr } = await run('download artifacts -f c.yaml');
    expect(code).toBe(1);
    expect(stderr).toMatch(/KX701[56].*runc 1\.\d+\.\d+/);
  });

  test('other files than those agreed on are refused, until they are accepted', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    expect((await run('download artifacts -f c.yaml')).code).toBe(0);
    const lock = join(cwd, '.kubexm/demo/artifacts.lock');
    const { items } = JSON.parse(readFileSync(lock, 'utf8')) as { items: Record<string, { sha256: string }> };
    const entry = items['kubernetes/1.34.2/amd64/kubeadm'];
    if (entry === undefined) throw new Error('it is not locked');
    entry.sha256 = 'a'.repeat(64);
    writeFileSync(lock, JSON.stringify({ version: 1, items }));
    const refused = await run('download artifacts -f c.yaml');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('this cluster has agreed on');
    expect(refused.stderr).toContain('--update-lock');
    expect((await run('download artifacts -f c.yaml --update-lock')).code).toBe(0);
    expect((await run('download artifacts -f c.yaml --dry-run --update-lock')).code).toBe(64);
  });

  test.each([
    ['nonsense', 'KX7020', 64],
    ['directory=', 'KX7020', 64],
    ['directory=/nowhere/at/all', 'KX7016', 1],
  ])('KUBEXM_SOURCES=%s', async (sources, wanted, exit) => {
    const { code, stderr } = await run('download artifacts -f c.yaml', { env: { ...env, KUBEXM_SOURCES: sources } });
    expect(stderr).toContain(wanted);
    expect(code).toBe(exit);
  });

  test('a broken lock is an error that names it, and nothing is lost', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    mkdirSync(join(cwd, '.kubexm/demo'), { recursive: true });
    writeFileSync(join(cwd, '.kubexm/demo/artifacts.lock'), '{"version": 1, "items": {');
    const { code, stderr } = await run('download artifacts -f c.yaml');
    expect(code).toBe(1);
    expect(stderr).toContain('KX7019');
    expect(stderr).toContain('artifacts.lock');
  });
});
