import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exactly, type PlannedRun, runPipeline, type SavedPlan, savedPlanOf } from '../../src/index.ts';
import { samplePipeline } from '../integration/pipeline.ts';
import { describeHosts, type Rig, startRig } from '../rig/sshd.ts';
import { some } from '../rig/thorough.ts';
import { filesBelow } from '../support/files-below.ts';
import { call, cli, tempDir } from './rig/cli.ts';
import { CREATABLE, clusterFile } from './rig/cluster-file.ts';

const SECRET = 'Tr0ub4dor-and-3-staple';

describeHosts('plans and tasks over SSH', () => {
  let rig: Rig;
  let dir: string;

  beforeAll(async () => {
    rig = await startRig({ hosts: 2 });
    // Machines that are no cluster yet: a big program of the machine below would only take its time to say so.
    await Promise.all(
      rig.hosts.map((host) =>
        host.exec("printf '#!/bin/sh\\nexit 1\\n' >/usr/local/bin/kubectl; chmod 755 /usr/local/bin/kubectl"),
      ),
    );
    dir = mkdtempSync(join(tmpdir(), 'kubexm-cli-plans-'));
  });
  afterAll(async () => {
    await rig.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const write = (cwd: string, more = '', count = 2): string => {
    const host = () => `password: ${SECRET}`;
    const text = clusterFile(rig, { count, host, more: `${CREATABLE}${more}` });
    const file = join(cwd, 'c.yaml');
    writeFileSync(file, text);
    return file;
  };
  const places = (cwd: string) => ({
    cwd,
    env: { KUBEXM_HOME: join(cwd, 'home'), XDG_CACHE_HOME: join(cwd, 'cache') },
  });
  const kubexm = (cwd: string, ...args: string[]) => call(args, places(cwd));

  test('plan cluster: what would change, the longest path, and a plan that holds until something moves', {
    timeout: 240_000,
  }, async () => {
    const cwd = tempDir();
    const config = write(cwd);
    const words = ['plan', 'cluster', '-f', config, '--out', 'plan.json', '--detailed-exitcode'];
    const planned = await cli(words, places(cwd));
    // These hosts have no systemd: the plan is shown and saved, and the end is that of the run.
    expect(planned.code, planned.stderr).toBe(4);
    expect(planned.stderr).toContain('KX4500');
    expect(planned.stdout).toContain('node/names/hosts  on host2\n  ~ /etc/hosts\n');
    expect(planned.stdout).toMatch(/Longest path: about \d/);
    expect(planned.stderr).toContain('kubexm apply plan.json');
    expect(planned.stderr).toMatch(/^Preflight\. Hosts: 2, /m);
    expect(planned.stderr).toContain('A dry run listens on no port');
    expect(planned.stdout).not.toMatch(/^(?:preflight|cluster\/report)\/.* on /m);
    const file = join(cwd, 'plan.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const saved = JSON.parse(readFileSync(file, 'utf8')) as SavedPlan;
    expect(saved).toMatchObject({ pipeline: 'create cluster', cluster: 'demo', configFile: config, baseDir: cwd });
    expect(Object.keys(saved.facts).sort()).toEqual(['host1', 'host2', 'local']);
    expect(await rig.hosts[1]!.exec('cat /etc/hosts')).not.toContain('KubeXM');

    const twice = await kubexm(cwd, 'plan', 'cluster', '-f', config, '--out', 'plan.json');
    expect(twice).toMatchObject({ code: 64, stdout: '' });
    expect(twice.stderr).toContain('KX1030');

    // What it does not depend on may change; what it does depend on may not.
    await rig.hosts[1]!.exec('hostname renamed');
    const again = await kubexm(cwd, 'apply', 'plan.json', '--dry-run');
    await rig.hosts[1]!.exec('hostname host2');
    expect(again.code, again.stderr).toBe(4);
    expect(again.stdout).toContain('node/names/hosts  on host2');

    write(cwd, '  system: {timezone: Asia/Shanghai}\n');
    const changed = await kubexm(cwd, 'apply', 'plan.json', '--dry-run');
    expect(changed).toMatchObject({ code: 3, stdout: '' });
    expect(changed.stderr).toContain('KX4034');
    expect(changed.stderr).toContain('spec.system.timezone: – → Asia/Shanghai');
    write(cwd);

    const { kernel } = saved.facts['host2']!;
    const older = { ...saved.facts, host2: { ...saved.facts['host2'], kernel: '4.4.0' } };
    const elsewhere = { ...saved, facts: older, plan: { ...saved.plan, hash: '0'.repeat(64) } };
    writeFileSync(join(cwd, 'old.json'), JSON.stringify(elsewhere));
    const moved = await kubexm(cwd, 'apply', 'old.json', '--dry-run');
    expect(moved).toMatchObject({ code: 3, stdout: '' });
    expect(moved.stderr).toContain('KX4038');
    expect(moved.stderr).toContain(`host2.kernel: 4.4.0 → ${kernel}`);

    const entry = { sha256: 'a'.repeat(64), size: 1, source: 'upstream' };
    const lock = { version: 1, items: { 'kubernetes/1.34.2/amd64/kubeadm': entry } };
    writeFileSync(join(cwd, '.kubexm/demo/artifacts.lock'), JSON.stringify(lock));
    const pinned = await kubexm(cwd, 'apply', 'plan.json', '--dry-run');
    expect(pinned.code).toBe(3);
    expect(pinned.stderr).toContain('KX4037');
    expect(pinned.stderr).toContain('kubernetes/1.34.2/amd64/kubeadm: –');
    expect(await rig.hosts[1]!.exec('cat /etc/hosts')).not.toContain('KubeXM');

    writeFileSync(file, '{"apiVersion": "other"}');
    expect(await kubexm(cwd, 'apply', 'plan.json')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('KX4033'),
    });
    for (const text of [planned.stdout, planned.stderr, JSON.stringify(saved), ...everyFile(join(cwd, '.kubexm'))])
      expect(text).not.toContain(SECRET);
  });

  test('plan cluster -o: data and drawings', { timeout: 120_000 }, async () => {
    const cwd = tempDir();
    const config = write(cwd, '', 1);
    const data = await kubexm(cwd, 'plan', 'cluster', '-f', config, '-o', 'json', '--skip-preflight');
    expect(data.code, data.stderr).toBe(0);
    const { outcome, steps, plan } = JSON.parse(data.stdout);
    expect({ outcome, version: plan.apiVersion }).toEqual({ outcome: 'succeeded', version: 'kubexm.io/plan/v1' });
    expect(steps).toContainEqual(expect.objectContaining({ node: 'node/names/hosts@host1', outcome: 'would-change' }));
    expect(plan.nodes.some(({ id }: { id: string }) => id.startsWith('preflight/check'))).toBe(false);
    const drawings = { dot: /^digraph plan \{/, mermaid: /^flowchart / };
    for (const [format, begins] of some(Object.entries(drawings), 1)) {
      const drawn = await kubexm(cwd, 'plan', 'cluster', '-f', config, '-o', format, '--skip-preflight');
      expect(drawn.stdout).toMatch(begins);
    }
  });

  test('run task: only it, only there; what is missing before it is named', { timeout: 240_000 }, async () => {
    const cwd = tempDir();
    const config = write(cwd);
    const task = (...args: string[]) => kubexm(cwd, 'run', 'task', ...args, '-f', config, '--yes');
    const unknown = await task('containerd');
    expect(unknown).toMatchObject({ code: 64, stderr: expect.stringContaining('KX4030') });
    expect(unknown.stderr).toMatch(/nearest first: runtime\/containerd/);
    const elsewhere = await task('kubernetes/init', '--nodes', 'host2');
    expect(elsewhere).toMatchObject({ code: 64, stderr: expect.stringContaining('KX4031') });
    expect(elsewhere.stderr).toContain('it works on: host1');

    const dry = await task('node/names', '--nodes', 'host2', '--dry-run');
    expect(dry.code, dry.stderr).toBe(0);
    expect(dry.stdout).toContain('node/names/hosts  on host2\n');
    expect(dry.stdout).not.toMatch(/on .*host1|runtime/);

    const runs = () => readdirSync(join(cwd, '.kubexm/demo/runs'));
    const before = existsSync(join(cwd, '.kubexm/demo/runs')) ? runs() : [];
    const domain = ['-e', 'controlPlaneEndpoint.domain=api.example'];
    const done = await task('node/names', '--nodes', 'host2', ...domain, '--detailed-exitcode');
    expect(done.code, done.stderr).toBe(2);
    expect(await rig.hosts[1]!.exec('cat /etc/hosts')).toContain('10.9.0.1 api.example');
    expect(await rig.hosts[0]!.exec('cat /etc/hosts')).not.toContain('KubeXM');
    const [made = '', ...others] = runs().filter((name) => !before.includes(name));
    expect(others).toEqual([]);
    const kept = (name: string): unknown =>
      JSON.parse(readFileSync(join(cwd, '.kubexm/demo/runs', made, name), 'utf8'));
    expect(kept('overrides.json')).toEqual([domain[1]]);
    expect(kept('params.json')).toEqual({
      task: 'node/names',
      nodes: ['host2'],
    });
    const again = await task('node/names', '--nodes', 'host2', ...domain, '--detailed-exitcode');
    expect(again.code, again.stderr).toBe(0);

    const early = await task('runtime/containerd', '--nodes', 'host2');
    expect(early.code).toBe(1);
    expect(early.stderr).toContain('KX4032');
    expect(early.stderr).toContain('kubexm run task artifacts/get');
    expect(await rig.hosts[1]!.exec('test -e /usr/local/bin/containerd || echo none')).toBe('none\n');
  });

  test('tags select no answer: the question is asked, and checks that are left out are reported', {
    timeout: 120_000,
  }, async () => {
    const cwd = tempDir();
    const config = write(cwd, '', 1);
    const create = (...args: string[]) => kubexm(cwd, 'create', 'cluster', '-f', config, ...args);
    const hosts = await rig.hosts[0]!.exec('cat /etc/hosts');
    const unasked = await create('--tags', 'names');
    expect(unasked.stderr).toMatch(/^The selected tags leave out the preflight checks: .*$/m);
    expect(unasked.stderr).toContain('KX1040');
    expect(await rig.hosts[0]!.exec('cat /etc/hosts')).toBe(hosts);
    expect((await create('--skip-tags', 'confirm')).stderr).toContain('KX4028');
    const alone = await kubexm(cwd, 'run', 'task', 'node/names', '-f', config);
    expect(alone.stderr).toContain('KX1040');
    expect(await rig.hosts[0]!.exec('cat /etc/hosts')).toBe(hosts);
  });

  test('run task: a host that does not answer is no obstacle where it is not needed', {
    timeout: 240_000,
  }, async () => {
    const cwd = tempDir();
    const config = write(cwd);
    const task = (...args: string[]) => kubexm(cwd, 'run', 'task', ...args, '-f', config, '--yes');
    const domain = ['-e', 'controlPlaneEndpoint.domain=absent.example'];
    const [first, second] = [rig.hosts[0]!, rig.hosts[1]!];
    try {
      await first.stop();
      const unknown = await task('node/names', '--nodes', 'host2');
      expect(unknown.code, 'nobody knows what host1 is').toBe(5);
      await first.restart();
      expect((await task('node/names', '--dry-run')).code).toBe(0);
      await first.stop();
      const done = await task('node/names', '--nodes', 'host2', ...domain);
      expect(done.code, done.stderr).toBe(0);
      expect(done.stderr).toContain('No answer, not needed, left out: host1');
      // It is still the plan of the whole cluster: the host that is away keeps its place in it.
      expect(await second.exec('cat /etc/hosts')).toMatch(/10\.9\.0\.1 .*host1[\s\S]*10\.9\.0\.1 absent\.example/);
      for (const where of [[], ['--nodes', 'host1'], ['--nodes', 'host1,host2']]) {
        const needed = await task('node/names', ...where, ...domain);
        expect(needed.code, needed.stderr).toBe(5);
        expect(needed.stderr).toContain('host1');
      }
    } finally {
      await first.restart();
    }
  });

  test('a saved plan runs as it is; one that does not hold has neither locked nor begun anything', {
    timeout: 120_000,
  }, async () => {
    const cwd = tempDir();
    const options = {
      configFile: write(cwd, '', 1),
      baseDir: cwd,
      env: { PATH: process.env['PATH'] },
      assumeYes: true,
    };
    const params = { root: '/tmp/saved', jobSeconds: 0, failOn: '' };
    const kept: PlannedRun[] = [];
    const dry = await runPipeline(samplePipeline, params, {
      ...options,
      dryRun: true,
      onPlanned: (one) => void kept.push(one),
    });
    const origin = { pipeline: 'test sample', params, configFile: options.configFile, baseDir: cwd, overrides: [] };
    const saved = savedPlanOf(origin, kept[0]!);
    const done = await runPipeline(samplePipeline, params, { ...options, ...exactly(saved, 'p') });
    expect(done).toMatchObject({ outcome: 'succeeded', planHash: saved.plan.hash, changes: dry.changes });
    expect(await rig.hosts[0]!.exec('cat /tmp/saved/once.log')).toBe('start\n');
    const runs = () => readdirSync(join(cwd, '.kubexm/demo/runs'));
    const before = runs();
    const other = runPipeline(
      samplePipeline,
      { ...params, root: '/tmp/other' },
      { ...options, ...exactly(saved, 'p') },
    );
    // The hosts have the links and mounts of the machine below: where those have moved meanwhile, they are named.
    await expect(other).rejects.toMatchObject({ code: expect.stringMatching(/^KX403[89]$/) });
    expect(runs()).toEqual(before);
    expect(await rig.hosts[0]!.exec('test -e /tmp/other || echo none')).toBe('none\n');
    expect((await runPipeline(samplePipeline, params, options)).changes).toBe(0);
    // The host belongs to the cluster of this test now; the next one has another.
    await rig.hosts[0]!.exec('rm -rf /var/lib/kubexm');
  });

  test('-e that is wrong points at the flag, before any host is asked', async () => {
    const cwd = tempDir();
    const args = ['create', 'cluster', '-f', write(cwd), '--yes'];
    const wrong = await kubexm(cwd, ...args, '-e', 'kubernetes.maxPods=many');
    expect(wrong).toMatchObject({ code: 3, stdout: '' });
    expect(wrong.stderr).toContain('-e: error KX2206');
    expect(wrong.stderr).toContain('  -e | kubernetes.maxPods=many\n');
    const refused = await kubexm(cwd, ...args, '-e', 'network.plugin=calico');
    expect(refused.code).toBe(3);
    const secret = await kubexm(cwd, ...args, '-e', `ssh.password=${SECRET}`);
    expect(secret.stderr).toContain('KX2232');
    expect(secret.stderr).not.toContain(SECRET);
    expect(existsSync(join(cwd, '.kubexm'))).toBe(false);
  });

  test('get nodes and describe cluster: what is known, and what the cluster itself says', {
    timeout: 120_000,
  }, async () => {
    const cwd = tempDir();
    const config = write(cwd);
    const before = JSON.parse((await kubexm(cwd, 'get', 'nodes', '-f', config, '-o', 'json')).stdout);
    expect(before).toMatchObject([
      { name: 'host1', roles: ['etcd', 'master'], state: 'new', arch: null, lastRun: null },
      { name: 'host2', roles: ['worker'], state: 'new' },
    ]);
    await kubexm(cwd, 'run', 'task', 'node/names', '-f', config, '--yes');
    const nodes = await kubexm(cwd, 'get', 'nodes', '-c', 'demo');
    expect(nodes.stdout).toMatch(
      /^NAME +ADDRESS +ROLES +STATE +OS +ARCH +LAST RUN\nhost1 +127.0.0.1 +etcd,master +ok +\S.* +run task /,
    );

    const silent = await kubexm(cwd, 'get', 'nodes', '--live');
    expect(silent).toMatchObject({ code: 1, stdout: '' });
    expect(silent.stderr).toContain('KX4035');

    await rig.hosts[0]!.exec(`cat >/usr/local/bin/kubectl <<'END'
#!/bin/sh
case "$*" in
*readyz*) printf '[+]ping ok\\n[-]etcd failed: reason withheld\\nreadyz check failed\\n'; exit 1 ;;
*'get nodes'*) printf 'host1\\tTrue\\tv1.34.2\\t\\t2026-01-31T12:00:00Z\\nother\\tFalse\\tv1.34.1\\ttrue\\t2026-01-31T12:00:00Z\\n' ;;
*) exit 64 ;;
esac
END
chmod 755 /usr/local/bin/kubectl`);
    const live = await kubexm(cwd, 'get', 'nodes', '--live', '-o', 'wide');
    expect(live.code, live.stderr).toBe(0);
    expect(live.stdout).toMatch(/^host1 .* True +v1\.34\.2 +\d+ d +true$/m);
    expect(live.stdout).toMatch(/^host2 .* not in the cluster/m);
    expect(live.stdout).toMatch(/^other .* not in the file .* False +v1\.34\.1 +\d+ d +false$/m);
    expect(live.stderr).toContain('through host1');

    const described = await kubexm(cwd, 'describe', 'cluster', 'demo', '--live');
    expect(described.code, described.stderr).toBe(0);
    expect(described.stdout).toMatch(/STATUS +not created\n/);
    expect(described.stdout).toMatch(/EtcdHealthy +False/);
    expect(described.stdout).toMatch(/NodesReady +False .* live\n/);
    expect(described.stdout).toContain('Not applied yet.');
    expect(described.stdout).toMatch(/Last operation\n +PIPELINE +run task\n +STATUS +succeeded/);
    const clusters = await kubexm(cwd, 'get', 'clusters');
    expect(clusters.stdout).toMatch(/^\* +demo +not created +v1\.34\.2 +1 +1 +– +\S+c\.yaml$/m);
  });
});

/** The text of every file below a directory. */
function everyFile(root: string): readonly string[] {
  const files = filesBelow(root);
  expect(files.length).toBeGreaterThan(0);
  return files.map((file) => readFileSync(file, 'latin1'));
}
