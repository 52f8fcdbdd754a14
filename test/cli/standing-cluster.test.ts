import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedRun, runPipeline, savedPlanOf } from '../../src/index.ts';
import { on } from '../../src/plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../../src/plan/layers.ts';
import { dedicated } from '../../src/plan/step.ts';
import { file } from '../../src/step/generic/index.ts';
import { describeHosts, type Rig, startRig } from '../rig/sshd.ts';
import { call } from './rig/cli.ts';

/** As much of `create cluster` as hosts without an init system can do: the cluster begins. */
const init = dedicated('init', file, 'A file.', () =>
  file({ path: '/srv/kx-test/cluster', content: 'one\n', mode: '0644' }),
);
const begin = defineTask({
  name: 'kubernetes/init',
  description: 'A file.',
  tags: ['init'],
  steps: [init],
  plan: (context) => ({ outputs: undefined, fragment: on(context.hosts, init(undefined)) }),
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
  owns: true,
});

describeHosts('a cluster that exists', () => {
  let rig: Rig;
  let dir: string;
  const config = () => join(dir, 'c.yaml');
  const write = (version: string, more = '') => {
    const hosts = rig.hosts.map(
      ({ name, port }, i) =>
        `    - {name: ${name}, address: 127.0.0.1, port: ${port}, internalAddress: 10.9.0.${i + 1}}`,
    );
    writeFileSync(
      config(),
      `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, privateKeyPath: ${rig.key}, sshConfig: none}
  hosts:
${hosts.join('\n')}
  roleGroups: {master: [host1], worker: [host2]}
  kubernetes: {version: ${version}}
  etcd: {type: kubeadm}
  network: {plugin: flannel}
  dns: {nodelocaldns: {enabled: false}}
${more}`,
    );
  };
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
});
