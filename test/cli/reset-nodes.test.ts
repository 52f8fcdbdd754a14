import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runPipeline } from '../../src/index.ts';
import { on, sequence } from '../../src/plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../../src/plan/layers.ts';
import { dedicated } from '../../src/plan/step.ts';
import { file } from '../../src/step/generic/index.ts';
import { describeHosts, type Rig, startRig } from '../rig/sshd.ts';
import { type CliOptions, call } from './rig/cli.ts';
import { clusterFile } from './rig/cluster-file.ts';

const written = dedicated('written', file, 'A file.', (path: string) =>
  file({ path, content: 'ours\n', mode: '0644' }),
);
const write = defineTask({
  name: 'demo/write',
  description: 'Two files.',
  tags: [],
  steps: [written],
  plan: (context) =>
    sequence(
      on(context.hosts, { ...written('/srv/kx-test/reset-old'), name: 'old' }),
      on(context.hosts, { ...written('/srv/kx-test/reset-new'), name: 'new' }),
    ),
});
const demo = defineModule({
  name: 'demo',
  description: 'Two files.',
  tasks: [write],
  plan: (context) => write.use(context, undefined),
});
const changing = definePipeline({
  name: 'demo',
  description: 'Two files.',
  actsOn: ['**'],
  modules: [demo],
});

describeHosts('kubexm reset nodes', () => {
  let rig: Rig;
  let dir: string;
  const config = () => join(dir, 'c.yaml');

  beforeAll(async () => {
    rig = await startRig({ hosts: 2 });
    dir = mkdtempSync(join(tmpdir(), 'kubexm-cli-reset-'));
    writeFileSync(config(), clusterFile(rig));
    for (const host of rig.hosts) await host.exec('echo mine >/srv/kx-test/reset-old');
    const report = await runPipeline(changing, undefined, { configFile: config(), baseDir: dir });
    expect(report).toMatchObject({ outcome: 'succeeded', changes: 4 });
  });
  afterAll(async () => {
    await rig.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const reset = (args: readonly string[], options: CliOptions = {}) =>
    call(['reset', 'nodes', '-f', config(), ...args], {
      cwd: dir,
      env: { KUBEXM_HOME: join(dir, 'home') },
      ...options,
    });
  const files = (host = rig.hosts[0]) => host?.exec('cd /srv/kx-test && grep -H . reset-*');

  test('a dry run shows every single thing, and changes nothing', async () => {
    await rig.hosts[0]?.exec('echo theirs >/srv/kx-test/reset-new');
    const { code, stdout } = await reset(['--dry-run', '--detailed-exitcode', '--nodes', 'host1']);
    expect(code).toBe(2);
    expect(stdout).toContain('reset/undo/000002-demo-write-new');
    expect(stdout).toMatch(/reset-new.*changed by somebody else: kept beside.*removed/);
    expect(stdout).toMatch(/reset-old.*as it was before/);
    expect(await files()).toBe('reset-new:theirs\nreset-old:ours\n');
    await rig.hosts[0]?.exec('echo ours >/srv/kx-test/reset-new');
  });

  test('it is asked for by name, tells what was kept, and is done once', async () => {
    await rig.hosts[0]?.exec('echo theirs >/srv/kx-test/reset-old');
    const refused = await reset(['--no-input']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/host1\s+2\s+\d{4}-/);
    expect(refused.stderr).toContain('KX1040');
    const one = await reset(['--yes', '--nodes', 'host1']);
    expect(one.code).toBe(0);
    expect(one.stderr).toMatch(
      /host1: \/srv\/kx-test\/reset-old was changed by somebody else: kept as \S+kubexm-kept-\d{8}/,
    );
    expect(await files()).toMatch(/^reset-old:mine\nreset-old\.kubexm-kept-\d{8}:theirs\n$/);
    expect(await files(rig.hosts[1])).toBe('reset-new:ours\nreset-old:ours\n');
    expect((await reset(['--yes'])).code).toBe(0);
    expect(await files(rig.hosts[1])).toBe('reset-old:mine\n');
    const again = await reset(['--detailed-exitcode']);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('None of these hosts has a manifest');
  });
});
