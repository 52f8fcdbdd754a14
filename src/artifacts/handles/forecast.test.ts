import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/index.ts';
import type { SourceSpec } from '../../model/artifact-lock.ts';
import type { BuildsProgress } from '../cache/build-ledger.ts';
import { BuildTimes } from '../cache/build-times.ts';
import { jobsOf } from '../cache/index.ts';
import { readCatalog, resolveArtifacts } from '../catalog/index.ts';
import { artifactSeconds, forecastArtifacts, plannedBuilds, watchBuilds } from './forecast.ts';
import { supplyFor } from './supply-for.ts';

const CONFIG = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, password: env:NONE}
  hosts: [{name: node1, address: 192.0.2.1}]
  roleGroups: {master: [node1], worker: [node1]}
  kubernetes: {version: v1.34.2}
  etcd: {type: kubeadm}
  network: {plugin: flannel}
`;
const APT = ['apt-config', 'apt-cache', 'apt-get', 'dpkg-deb'];

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-forecast-'));
  mkdirSync(join(dir, 'bin'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function program(name: string, text = 'exit 0'): void {
  writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(dir, 'bin', name), 0o755);
}

const goOf = (proxy: string) => program('go', `echo '{"GOVERSION":"go1.26.8","GOPROXY":"${proxy}"}'`);

/** What a cluster takes on a machine that has nothing but the programs in `bin`. */
async function forecast(
  env: Record<string, string> = {},
  sources: readonly SourceSpec[] = [{ type: 'go' }],
  secret: () => string | undefined = () => undefined,
) {
  const { cluster } = await loadConfig({ text: CONFIG, file: 'c.yaml' });
  if (cluster === undefined) throw new Error('the configuration is wrong');
  const jobs = jobsOf(resolveArtifacts(cluster, await readCatalog(), ''));
  const request = { jobs, workDir: dir, cacheDir: join(dir, 'cache'), sources, lock: {} };
  const io = { secret, signal: new AbortController().signal };
  return await forecastArtifacts(request, { ...io, env: { PATH: join(dir, 'bin'), GOPROXY: 'off', ...env } });
}

describe('what getting artifacts takes', () => {
  test('everything that recipes need is known before anything is built, each thing once', async () => {
    goOf('https://proxy.example');
    for (const tool of APT) program(tool);
    const { missing, builds, here } = await forecast();
    expect(missing).toEqual([
      { need: 'gcc', by: ['runc 1.4.3', expect.stringMatching(/^flannel /)] },
      { need: 'libc6-dev', by: ['runc 1.4.3', expect.stringMatching(/^flannel /)] },
      { need: 'libseccomp-dev', by: ['runc 1.4.3'] },
      { need: 'pkg-config', by: ['runc 1.4.3'] },
    ]);
    expect(here).toBe(0);
    // Kubernetes is one build, for its files and for its images.
    expect(builds.filter(({ name }) => name.startsWith('kubernetes/'))).toHaveLength(1);
  });

  test('a compiler without the headers of a library', async () => {
    goOf('https://proxy.example');
    for (const tool of [...APT, 'pkg-config']) program(tool);
    program('gcc', 'case "$(/bin/cat)" in *seccomp.h*) exit 1 ;; esac');
    expect((await forecast()).missing).toEqual([{ need: 'libseccomp-dev', by: ['runc 1.4.3'] }]);
  });

  test('no Go and no proxy that has one, no git where nobody else serves modules, no apt', async () => {
    for (const tool of ['gcc', 'pkg-config']) program(tool);
    const without = await forecast();
    expect(without.missing.map(({ need }) => need)).toEqual(expect.arrayContaining(['go', 'apt']));
    expect(without.missing.find(({ need }) => need === 'go')?.reason).toContain('GOPROXY is off');
    goOf('direct');
    expect((await forecast()).missing.map(({ need }) => need)).toEqual(expect.arrayContaining(['git', 'apt']));
    program('git');
    for (const tool of APT) program(tool);
    expect((await forecast()).missing).toEqual([]);
  });
});

test('what no source has is not counted as a download', async () => {
  const found = await forecast({}, [{ type: 'directory', path: join(dir, 'nowhere') }]);
  expect(found).toMatchObject({ fetched: 0, builds: [], nowhere: { code: 'KX7016' } });
  expect(found.nowhere?.params['what']).toContain('runc 1.4.3');
});

test('time: builds count by what each takes on this machine, whatever else is fetched', async () => {
  goOf('https://proxy.example');
  const { builds } = await forecast();
  const building = builds.reduce((sum, { seconds }) => sum + seconds, 0);
  expect(artifactSeconds({ fetched: 0, builds: [] })).toBeLessThan(5);
  expect(artifactSeconds({ fetched: 4, builds })).toBe(2 + 4 * 3 + Math.round(building));
  expect(plannedBuilds({ builds })).toMatchObject({ seconds: Math.round(building), cores: availableParallelism() });
  expect(plannedBuilds({ builds })?.programs).toBeGreaterThan(builds.length);
  // What was measured here is preferred from then on.
  const kubernetes = builds.find(({ name }) => name.startsWith('kubernetes/'));
  if (kubernetes === undefined) throw new Error('Kubernetes is not built');
  await new BuildTimes(join(dir, 'cache')).note(kubernetes, 1234);
  const again = (await forecast()).builds.find(({ name }) => name === kubernetes.name);
  expect(again?.seconds).toBe(1234);
});

test('the builds of a forecast are what the run counts', async () => {
  goOf('https://proxy.example');
  const seen: BuildsProgress[] = [];
  const secret = () => undefined;
  const request = { cacheDir: join(dir, 'cache'), sources: [{ type: 'go' }] } as const;
  const { builds } = await forecast({}, request.sources, secret);
  const stop = await watchBuilds(request, { secret }, (progress) => void seen.push(progress));
  const { builds: ledger } = await supplyFor(request, { secret });
  const [first] = builds;
  if (first === undefined || ledger === undefined) throw new Error('nothing is built');
  ledger.begin(first);
  expect(seen.at(-1)).toMatchObject({ programs: plannedBuilds({ builds })?.programs, built: 0 });
  stop();
  ledger.plan([]);
  expect(seen).toHaveLength(1);
});
