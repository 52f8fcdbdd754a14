import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogDirectory, readCatalogTexts } from '../../src/artifacts/catalog/index.ts';
import { randoms, seed, some } from '../rig/thorough.ts';
import { artifactDirectory } from '../support/artifact-directory.ts';
import { type ArtifactMirror, artifactMirror } from '../support/artifact-mirror.ts';
import { filesBelow } from '../support/files-below.ts';
import { call, cli, type Ended, MAIN, plainEnv } from './rig/cli.ts';

const CONFIG = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, password: env:NOT_SET_ANYWHERE}
  hosts: [{name: node1, address: 192.0.2.1}]
  roleGroups: {master: [node1], worker: [node1]}
  kubernetes: {version: v1.34.2}
  etcd: {type: kubeadm}
  network: {plugin: flannel}
`;
const COMMAND = ['download', 'artifacts', '-f', 'c.yaml'];
/** The one image that takes no module: its program is kubexm's own. */
const PAUSE = 'image/registry.k8s.io/pause:';
const hasGo = spawnSync('go', ['version']).status === 0;

/** Files from a mirror, images from a directory, pause built from source. */
describe('all of a cluster’s artifacts from several sources', { timeout: 600_000 }, () => {
  let cwd: string;
  let mirror: ArtifactMirror;
  let env: NodeJS.ProcessEnv;

  /** What two at once left, begun with nothing. */
  let both: readonly Ended[];
  let agreed: ReadonlyMap<string, string>;
  /** How long that took. */
  let whole: number;

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'kubexm-killed-'));
    mkdirSync(join(cwd, 'offline'));
    writeFileSync(join(cwd, 'c.yaml'), CONFIG);
    // Its files are not those that the projects publish.
    mkdirSync(join(cwd, 'catalog'));
    for (const { file, text } of await readCatalogTexts(catalogDirectory()))
      if (file.endsWith('.yaml')) writeFileSync(join(cwd, 'catalog', file), text);
    process.env['KUBEXM_CATALOG'] = join(cwd, 'catalog');
    mirror = await artifactMirror(join(cwd, 'c.yaml'));
    await artifactDirectory(join(cwd, 'c.yaml'), join(cwd, 'offline'), (id) =>
      id.startsWith('image/') ? hasGo && id.startsWith(PAUSE) : !id.endsWith('.yml'),
    );
    env = {
      KUBEXM_HOME: join(cwd, 'home'),
      KUBEXM_CATALOG: join(cwd, 'catalog'),
      KUBEXM_SOURCES: `mirror=${mirror.server.url},directory=offline${hasGo ? ',go' : ''}`,
      GOPROXY: 'off',
      GOFLAGS: '-mod=mod',
      // The standard library is compiled there already.
      ...(hasGo ? { GOCACHE: execFileSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).trim() } : {}),
    };
    const started = Date.now();
    both = await Promise.all([cli(COMMAND, { cwd, env }), call(COMMAND, { cwd, env })]);
    whole = Date.now() - started;
    agreed = lock();
  });
  afterAll(async () => {
    delete process.env['KUBEXM_CATALOG'];
    await mirror.server.stop();
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  });

  const cluster = () => join(cwd, '.kubexm/demo');
  const lock = () => locked(join(cluster(), 'artifacts.lock'));
  const forget = () => {
    for (const dir of ['home', '.kubexm']) rmSync(join(cwd, dir), { recursive: true, force: true, maxRetries: 5 });
  };

  test('two runs at once do the work once; a third one asks nobody', async (context) => {
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both[0]?.stderr).toContain('succeeded');
    const from = ['mirror', 'directory', ...(hasGo ? ['go'] : [])];
    expect(sourcesIn(join(cluster(), 'artifacts.lock'))).toEqual(new Set(from));
    const fetched = mirror.fetched();
    expect(fetched.length).toBeGreaterThan(5);
    expect([...fetched].sort()).toEqual([...new Set(fetched)].sort());
    const builds = both.map(({ stdout, stderr }) => `${stdout}${stderr}`.includes('making registry.k8s.io/pause'));
    expect(builds.filter(Boolean).length).toBeLessThanOrEqual(1);

    const requests = mirror.server.requests.length;
    expect((await call(COMMAND, { cwd, env })).code).toBe(0);
    expect(mirror.server.requests.length).toBe(requests);
    // Not even a loopback: a connection attempt would fail, and the run with it.
    if (spawnSync('unshare', ['--net', 'true']).status !== 0) return context.skip('needs a network namespace');
    const alone = ['--net', process.execPath, MAIN, ...COMMAND, '--detailed-exitcode'];
    const { status, stderr } = spawnSync('unshare', alone, { cwd, env: plainEnv(env), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('succeeded')]);
  });

  test('the lock says who vouched for what, and warns if only a mirror did', async () => {
    const text = readFileSync(join(cluster(), 'artifacts.lock'), 'utf8');
    const { items } = JSON.parse(text) as { items: Record<string, { source: string; vouched?: string }> };
    for (const [id, { source, vouched }] of Object.entries(items)) {
      if (source.startsWith('mirror')) expect(vouched, id).toBe('mirror');
      else if (source.startsWith('directory')) expect(vouched, id).toBe('user');
      else expect(vouched, id).toBeDefined();
    }
    // Once in a run; the run that finds everything agreed on by the other one says nothing.
    const told = both.map(
      ({ stdout, stderr }) => `${stdout}${stderr}`.split('nobody but this mirror vouches').length - 1,
    );
    expect(Math.max(...told)).toBe(1);
    const rows = await call(['get', 'artifacts', '-f', 'c.yaml', '-o', 'json'], { cwd, env });
    expect(rows.stdout).toContain('"vouched": "mirror"');
  });

  test('killed at random moments: never a bad file, and the next run goes on', async () => {
    const right = new Set([...agreed.values()]);
    for (const [i, moment] of some(randoms(20), 3).entries()) {
      // Some start over, the others go on with what the one before has left.
      if (i % 3 === 0) forget();
      const child = spawn(process.execPath, [MAIN, ...COMMAND], { cwd, env: plainEnv(env), stdio: 'ignore' });
      const gone = new Promise((resolve) => child.once('close', resolve));
      await Promise.race([gone, delay(moment * whole)]);
      child.kill('SIGKILL');
      await gone;
      for (const file of filesBelow(join(cwd, 'home/cache/artifacts/blobs/sha256'))) {
        expect(digestOf(file), `${file}, seed ${seed}`).toBe(file.slice(-64));
      }
      for (const file of filesBelow(cluster()).filter(isArtifact)) {
        expect(right.has(digestOf(file)), `${file}, seed ${seed}`).toBe(true);
      }
      for (const [id, sha256] of lock()) expect(agreed.get(id), `${id}, seed ${seed}`).toBe(sha256);
    }
    const last = await call(COMMAND, { cwd, env });
    expect(last.stderr, `seed ${seed}`).toContain('succeeded');
    expect(lock()).toEqual(agreed);
    expect((await call(['verify', 'artifacts', '-f', 'c.yaml'], { cwd, env })).code).toBe(0);
    // Nothing half-way is left where the cluster's files are.
    expect(filesBelow(cluster()).filter((file) => /\.(new|part)$/.test(file))).toEqual([]);
  });
});

/** What a cluster has agreed on. A lock is whole at every moment. */
function locked(file: string): ReadonlyMap<string, string> {
  if (!existsSync(file)) return new Map();
  const { items } = JSON.parse(readFileSync(file, 'utf8')) as { items: Record<string, { sha256?: string }> };
  return new Map(Object.entries(items).flatMap(([id, { sha256 }]) => (sha256 === undefined ? [] : [[id, sha256]])));
}

function sourcesIn(file: string): ReadonlySet<string> {
  const found = readFileSync(file, 'utf8').matchAll(/"source": "(\w+)/g);
  return new Set([...found].map(([, word]) => word ?? ''));
}

/** Under its own name, where others look for it. */
function isArtifact(file: string): boolean {
  return /\/(kubernetes|container_runtime|images|crictl|cni-plugins|flannel)\//.test(file) && !file.endsWith('.new');
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
