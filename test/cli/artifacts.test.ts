import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { pruneArtifacts } from '../../src/artifacts/handles/index.ts';
import { blobPath, INDEX, parseIndex } from '../../src/artifacts/sources/disk/index-file.ts';
import { boxPackages, boxSystem, installCommand } from '../../src/host/index.ts';
import { listArtifacts } from '../../src/runtime/artifacts.ts';
import { artifactDirectory } from '../support/artifact-directory.ts';
import { type CliOptions, call, cli, tempDir } from './rig/cli.ts';

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

/** The same with machines of one kind: half as many files. */
const ALIKE = CONFIG.replace(', arch: arm64', '');
/** Many small files, each of them synced: a disk would be what takes the time. */
const MEMORY = '/dev/shm';
const KUBEADM = 'kubernetes/1.34.2/amd64/kubeadm';

describe('artifacts on the command line', () => {
  let cwd: string;
  let offline: string;
  let env: NodeJS.ProcessEnv;
  const run = (args: string, options: CliOptions = {}) => call(args.split(' '), { cwd, env, ...options });
  const kubeadm = () => join(cwd, '.kubexm/demo/kubernetes/1.34.2/amd64/kubeadm');
  const blobs = () => readdirSync(join(cwd, 'home/cache/artifacts/blobs/sha256'));

  beforeEach(() => {
    cwd = tempDir(existsSync(MEMORY) ? MEMORY : undefined);
    offline = join(cwd, 'offline');
    mkdirSync(offline);
    writeFileSync(join(cwd, 'c.yaml'), ALIKE);
    env = { KUBEXM_HOME: join(cwd, 'home'), KUBEXM_SOURCES: `directory=${offline}` };
  });

  /** What the commands show, asked without starting one. */
  const states = async () => {
    const rows = await listArtifacts({
      configFile: join(cwd, 'c.yaml'),
      baseDir: cwd,
      env: { ...process.env, ...env },
    });
    return new Map(rows.map(({ id, state }) => [id, state]));
  };

  test('downloaded, listed, damaged, repaired, shared, pruned', { timeout: 180_000 }, async () => {
    writeFileSync(join(cwd, 'c.yaml'), CONFIG);
    const mixed = await artifactDirectory(join(cwd, 'c.yaml'), offline);
    expect(await states()).toEqual(new Map(mixed.map((id) => [id, 'needed'])));
    const dry = await run('download artifacts -f c.yaml --dry-run --detailed-exitcode');
    expect(dry.code).toBe(2);
    expect(dry.stdout).toContain('+ kubernetes/1.34.2/arm64/kubelet: from directory');

    writeFileSync(join(cwd, 'c.yaml'), ALIKE);
    const ids = await artifactDirectory(join(cwd, 'c.yaml'), offline);
    const got = await cli(['download', 'artifacts', '-f', 'c.yaml'], { cwd, env });
    expect(got.stderr).toContain('succeeded');
    expect(got.code).toBe(0);
    // A program of the cluster is a second name of the file in the cache, and can be run.
    expect(execFileSync(kubeadm(), { encoding: 'utf8' })).toBe('kubernetes/1.34.2/amd64/kubeadm\n');
    expect(statSync(kubeadm()).nlink).toBe(2);
    expect(statSync(join(cwd, '.kubexm/demo/container_runtime/containerd')).isDirectory()).toBe(true);

    // Nothing is asked any more: the source may be gone.
    rmSync(offline, { recursive: true });
    expect(await states()).toEqual(new Map(ids.map((id) => [id, 'ready'])));
    const list = await run('get artifacts -f c.yaml');
    expect(list.stdout).not.toMatch(/to get|cached/);
    expect(list.stderr).toContain(`${ids.length} of ${ids.length} are here`);

    // One byte is flipped: seen by its time, its content, and repaired from the source.
    chmodSync(kubeadm(), 0o755);
    writeFileSync(kubeadm(), readFileSync(kubeadm(), 'utf8').replace('kubeadm', 'kubeadn'));
    expect((await states()).get(KUBEADM)).toBe('changed');
    const bad = await run('verify artifacts -f c.yaml');
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain(KUBEADM);
    expect(bad.stderr).toContain('KX7022');
    const nowhere = await run('download artifacts -f c.yaml');
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toMatch(/KX7016.*kubernetes 1\.34\.2.*directory/);
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    expect((await run('download artifacts -f c.yaml')).code).toBe(0);
    const good = await run('verify artifacts -f c.yaml');
    expect([good.code, good.stderr]).toEqual([0, expect.stringContaining(`${ids.length} `)]);

    // Another cluster takes from the cache: nobody could deliver any more.
    writeFileSync(join(cwd, 'd.yaml'), ALIKE.replace('name: demo', 'name: other'));
    rmSync(join(offline, 'blobs'), { recursive: true });
    expect((await run('download artifacts -f d.yaml')).code).toBe(0);
    expect(statSync(kubeadm()).nlink).toBe(3);

    // What a cluster uses stays; what none uses goes.
    const cacheDir = join(cwd, 'home/cache/artifacts');
    const used = blobs().length;
    const kept = await pruneArtifacts(cacheDir, { dryRun: false, olderThanMs: -1000 });
    expect([kept.files, blobs().length]).toEqual([0, used]);
    expect((await run('prune artifacts --yes')).code).toBe(0);
    rmSync(join(cwd, '.kubexm'), { recursive: true });
    await pruneArtifacts(cacheDir, { dryRun: false, olderThanMs: -1000 });
    expect(blobs()).toEqual([]);
  });

  test('what this machine lacks for builds is listed at once, with the one command that installs it', async () => {
    const bin = join(cwd, 'bin');
    mkdirSync(bin);
    const program = (name: string, text: string) =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('go', `echo '{"GOVERSION":"go1.26.8","GOPROXY":"https://proxy.example"}'`);
    for (const tool of ['apt-config', 'apt-cache', 'apt-get', 'dpkg-deb']) program(tool, 'exit 0');
    env = { KUBEXM_HOME: join(cwd, 'home'), KUBEXM_SOURCES: 'go', PATH: bin };
    // What cannot be built is told first.
    writeFileSync(join(cwd, 'c.yaml'), `${ALIKE}  dns: {nodelocaldns: {enabled: true}}\n`);
    const unbuilt = await run('download artifacts -f c.yaml');
    expect([unbuilt.code, unbuilt.stderr]).toEqual([1, expect.stringMatching(/KX7015.*node-cache/)]);
    writeFileSync(join(cwd, 'c.yaml'), `${ALIKE}  dns: {nodelocaldns: {enabled: false}}\n`);
    const refused = await run('download artifacts -f c.yaml');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('KX7042');
    expect(refused.stderr).toContain('libseccomp-dev: for runc 1.4.3');
    const needs = ['gcc', 'libc6-dev', 'libseccomp-dev', 'pkg-config'];
    const command = installCommand(boxSystem(), boxPackages(boxSystem(), needs).packages, process.getuid?.() === 0);
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain(command);
    // Nothing began: no run, no download.
    expect(existsSync(join(cwd, '.kubexm/demo/runs')) && readdirSync(join(cwd, '.kubexm/demo/runs'))).toEqual([]);
    expect(blobs()).toEqual([]);
    // A dry run, a plan and what leaves artifacts out are not in the way of it.
    const dry = await run('download artifacts -f c.yaml --dry-run');
    expect([dry.code, dry.stderr]).toEqual([
      0,
      expect.stringMatching(/would build \d+ programs from source, about \d+ min/),
    ]);
    expect(dry.stderr).toMatch(/warning: KX7042.*libseccomp-dev/);
  });

  test('what came before a failure is kept, and the person is told how much', async () => {
    const ids = await artifactDirectory(join(cwd, 'c.yaml'), offline);
    const crictl = ids.find((id) => id.startsWith('crictl/')) ?? '';
    const index = parseIndex(readFileSync(join(offline, INDEX), 'utf8'));
    if (typeof index === 'string') throw new Error(index);
    rmSync(join(offline, blobPath(index.get(crictl)?.sha256 ?? '')));
    const failed = await run('download artifacts -f c.yaml');
    expect(failed.code).toBe(1);
    const here = [...(await states()).values()].filter((state) => state === 'ready').length;
    expect(here).toBeGreaterThan(0);
    expect(failed.stderr).toContain(`${here} of ${ids.length} artifacts are here and kept`);
    expect(failed.stderr).not.toMatch(/rolling back|reverted/);
  });

  test('nothing is got where a source lacks something', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline, (id) => id.startsWith('crictl/'));
    const refused = await run('download artifacts -f c.yaml');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/KX7016.*crictl/);
    expect(blobs()).toEqual([]);
  });

  test('other files than those agreed on are refused, until they are accepted', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    const entry = { sha256: 'a'.repeat(64), size: 10, source: 'upstream' };
    mkdirSync(join(cwd, '.kubexm/demo'), { recursive: true });
    const lock = join(cwd, '.kubexm/demo/artifacts.lock');
    writeFileSync(lock, JSON.stringify({ version: 1, items: { [KUBEADM]: entry } }));
    const refused = await run('download artifacts -f c.yaml');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('this cluster has agreed on');
    expect(refused.stderr).toContain('--update-lock');
    expect((await run('download artifacts -f c.yaml --dry-run --update-lock')).code).toBe(64);
    expect((await run('download artifacts -f c.yaml --update-lock')).code).toBe(0);
    expect((await states()).get(KUBEADM)).toBe('ready');
  });

  // More of them are in src/artifacts/handles/sources.test.ts.
  test.each([
    ['nonsense', 'KX7020', 64],
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

  test('a directory of the cluster that cannot be written to is named', async () => {
    await artifactDirectory(join(cwd, 'c.yaml'), offline);
    mkdirSync(join(cwd, '.kubexm/demo'), { recursive: true });
    writeFileSync(join(cwd, '.kubexm/demo/images'), 'in the way');
    const { code, stderr } = await run('download artifacts -f c.yaml');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/KX7122.*\.kubexm\/demo/);
  });
});
