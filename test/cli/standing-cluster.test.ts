import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedRun, runPipeline, savedPlanOf } from '../../src/index.ts';
import { marked, on } from '../../src/plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../../src/plan/layers.ts';
import { dedicated } from '../../src/plan/step.ts';
import { file } from '../../src/step/generic/index.ts';
import { describeHosts, type Rig, startRig } from '../rig/sshd.ts';
import { call } from './rig/cli.ts';
import { CREATABLE, clusterFile } from './rig/cluster-file.ts';

/** As much of `create cluster` as hosts without an init system can do: the cluster begins. */
const init = dedicated('init', file, 'A file.', () =>
  file({ path: '/srv/kx-test/cluster', content: 'one\n', mode: '0644' }),
);
const begin = defineTask({
  name: 'kubernetes/begin',
  description: 'A file.',
  tags: ['init'],
  steps: [init],
  plan: (context) => marked('cluster-begun', on(context.hosts, init(undefined))),
});
const kubernetes = defineModule({
  name: 'kubernetes',
  description: 'A file.',
  tasks: [begin],
  plan: (context) => begin.use(context, undefined),
});
const creating = definePipeline({
  name: 'create cluster',
  description: 'A file.',
  actsOn: ['**'],
  modules: [kubernetes],
});

describeHosts('a cluster that exists', () => {
  let rig: Rig;
  let dir: string;
  const config = () => join(dir, 'c.yaml');
  const write = (version: string, more = '', count = 2) =>
    writeFileSync(config(), clusterFile(rig, { version, count, more: `${CREATABLE}${more}` }));
  const kubexm = (...args: readonly string[]) =>
    call(args, { cwd: dir, env: { KUBEXM_HOME: join(dir, 'home'), XDG_CACHE_HOME: join(dir, 'cache') } });
  const runs = () => readdirSync(join(dir, '.kubexm/demo/runs'));

  beforeAll(async () => {
    rig = await startRig({ hosts: 2 });
    dir = mkdtempSync(join(tmpdir(), 'kubexm-cli-standing-'));
    write('v1.34.2');
  });
  afterAll(async () => {
    await rig.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('is not given what only holds at its creation, whatever the command', async () => {
    const kept: { planned?: PlannedRun } = {};
    const report = await runPipeline(creating, undefined, {
      configFile: config(),
      baseDir: dir,
      onPlanned: (planned) => {
        kept.planned = planned;
      },
    });
    expect(report).toMatchObject({ outcome: 'succeeded', changes: 2 });
    const origin = { pipeline: 'create cluster', params: null, configFile: config(), baseDir: dir, overrides: [] };
    writeFileSync(join(dir, 'plan.json'), JSON.stringify(savedPlanOf(origin, kept.planned!)));
    const before = runs();

    write('v1.34.3', '  system: {timezone: Asia/Shanghai}\n');
    for (const words of [
      ['create', 'cluster', '-f', config(), '--yes'],
      ['create', 'cluster', '-f', config(), '--dry-run'],
      ['create', 'cluster', '-f', config(), '--tags', 'flannel', '--yes'],
      ['plan', 'cluster', '-f', config()],
      ['run', 'task', 'kubernetes/install', '-f', config()],
      ['apply', 'plan.json', '--yes'],
    ]) {
      const { code, stdout, stderr } = await kubexm(...words);
      expect(code, stderr).toBe(3);
      expect(stdout).toBe('');
      expect(stderr).toContain('KX4040 the cluster demo exists');
      expect(stderr).toContain('spec.kubernetes.version: v1.34.2 → v1.34.3');
      expect(stderr).not.toContain('timezone');
      expect(stderr).toContain('Nothing was changed.');
    }
    expect(runs()).toEqual(before);

    // One field for one run is refused in the same way.
    write('v1.34.2');
    const once = await kubexm('create', 'cluster', '-f', config(), '-e', 'kubernetes.maxPods=50', '--yes');
    expect(once).toMatchObject({ code: 3, stderr: expect.stringContaining('spec.kubernetes.maxPods: 110 → 50') });
  });

  test('is deleted when its last host is, whichever run forgot that host', async () => {
    const status = async () => JSON.parse((await kubexm('get', 'clusters', '-o', 'json')).stdout)[0]?.status;
    const kubeconfig = join(dir, '.kubexm/demo/kubeconfig');
    writeFileSync(kubeconfig, 'the old one');

    // One that left the file still runs what it was given.
    write('v1.34.2', '', 1);
    const deleted = await kubexm('delete', 'cluster', '-f', config(), '--yes');
    expect(deleted.code, deleted.stderr).toBe(7);
    expect(deleted.stderr).toContain('host2  KX8106 host2 is not in the file any more');
    expect(deleted.stderr.replaceAll(/\s+/g, ' ')).toContain('kubexm reset nodes --nodes host2');
    expect(deleted.stderr).not.toContain('--resume');
    expect(readFileSync(join(dir, '.kubexm/demo/changed-hosts'), 'utf8')).toBe('host2\n');
    await expect(rig.hosts[0]!.exec('cat /srv/kx-test/cluster')).rejects.toThrow();
    expect(await rig.hosts[0]!.exec('ls -A /var/lib/kubexm 2>/dev/null || true')).toBe('');
    expect(await status()).toBe('half-deleted');
    expect(existsSync(kubeconfig)).toBe(true);
    // Nothing is left to be done where it looks: that is no success either, but nothing was done in part.
    expect(await kubexm('delete', 'cluster', '-f', config(), '--yes')).toMatchObject({ code: 5 });

    // What held for its creation alone holds for what comes after it, if it is said again.
    write('v1.34.2');
    const { port } = rig.hosts[1]!;
    writeFileSync(config(), readFileSync(config(), 'utf8').replace(`port: ${port}`, 'port: 1'));
    const really = ['-f', config(), '-e', `hosts[host2].port=${port}`];
    expect(await kubexm('unlock', '-f', config(), '--nodes', 'host2')).not.toMatchObject({ code: 0 });
    expect(await kubexm('unlock', ...really, '--nodes', 'host2')).toMatchObject({ code: 0 });
    const dry = await kubexm('reset', 'nodes', ...really, '--nodes', 'host2', '--dry-run');
    expect(dry.code, dry.stderr).toBe(0);
    expect(existsSync(kubeconfig)).toBe(true);
    const reset = await kubexm('reset', 'nodes', ...really, '--nodes', 'host2', '--yes');
    expect(reset.code, reset.stderr).toBe(0);
    expect(await status()).toBe('deleted');
    expect(existsSync(kubeconfig)).toBe(false);

    // What is gone stands in nobody's way.
    write('v1.34.3');
    const fresh = await kubexm('create', 'cluster', '-f', config(), '--dry-run', '--skip-preflight');
    expect(fresh.stderr).not.toContain('KX4040');
  });
});
