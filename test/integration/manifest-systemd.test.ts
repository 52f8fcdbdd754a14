import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunEvent, resetNodes, runPipeline } from '../../src/index.ts';
import { on, sequence } from '../../src/plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../../src/plan/layers.ts';
import { dedicated, type StepUse } from '../../src/plan/step.ts';
import { directory, file, service, timezone, user } from '../../src/step/generic/index.ts';
import { describeSystemdHosts, type Rig, type RigHost, startRig } from '../rig/sshd.ts';

const change = dedicated('change', file, 'Any change at all.', (use: StepUse) => use);
const steps: Readonly<Record<string, StepUse>> = {
  user: user({ name: 'kxdemo' }),
  folder: directory({ path: '/etc/kx-demo/conf.d', mode: '0750' }),
  config: file({ path: '/etc/kx-demo/conf.d/demo.conf', content: 'seconds = 600\n', mode: '0640' }),
  issue: file({ path: '/etc/issue', content: 'changed\n', mode: '0600' }),
  zone: timezone({ zone: 'Asia/Shanghai' }),
  unit: file({
    path: '/etc/systemd/system/kx-demo.service',
    content: '[Service]\nExecStart=/bin/sleep 600\n[Install]\nWantedBy=multi-user.target\n',
    mode: '0644',
  }),
  service: service({ unit: 'kx-demo', enabled: true, running: 'started', fingerprint: 'one', settleSeconds: 1 }),
};
const install = defineTask({
  name: 'demo/install',
  description: 'A service with all that it needs.',
  tags: [],
  steps: [change],
  plan: (context) => {
    const nodes = Object.entries(steps).map(([name, use]) => on(context.hosts, { ...change(use), name }));
    return sequence(...nodes);
  },
});
const demo = defineModule({
  name: 'demo',
  description: 'A service.',
  tasks: [install],
  plan: (context) => install.use(context, undefined),
});
const create = definePipeline({ name: 'demo', description: 'A service.', actsOn: ['**'], modules: [demo] });

/** Everything of /etc, accounts and units, as lines that can be compared; not what account tools leave as backups. */
const PICTURE = `find /etc ! -name '*-' ! -name .pwd.lock ! -type d -printf '%p %y %m %U:%G %l\\n' | sort
find /etc -type d -printf '%p %m %U:%G\\n' | sort
find /etc -type f ! -name '*-' ! -name .pwd.lock -exec sha256sum {} + | sort
systemctl list-unit-files --no-legend --no-pager kx-demo.service
systemctl --failed --no-legend --no-pager; systemctl is-active kx-demo.service; pgrep -fx '/bin/sleep 600'; ls /home; true`;

describeSystemdHosts('a service that the manifest undoes', () => {
  let rig: Rig;
  let host: RigHost;
  let dir: string;
  beforeAll(async () => {
    rig = await startRig({ init: 'systemd' });
    host = rig.hosts[0] as RigHost;
    dir = mkdtempSync(join(tmpdir(), 'kubexm-manifest-systemd-'));
    writeFileSync(
      join(dir, 'c.yaml'),
      `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {sshConfig: none}
  hosts:
  - {name: ${host.name}, address: 127.0.0.1, port: ${host.port}, internalAddress: 10.9.0.1, privateKeyPath: ${rig.key}}
  roleGroups: {master: [${host.name}], etcd: [${host.name}], worker: [${host.name}]}
  kubernetes: {version: v1.34.4}
`,
    );
  });
  afterAll(async () => {
    await rig?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('unit, service, user, zone and files are as they were, and systemd has forgotten them, but no failure of others', async () => {
    const failed = (unit: string) => `until systemctl is-failed --quiet ${unit}; do sleep 0.1; done`;
    await host.exec(`systemd-run --quiet --unit=kx-theirs /bin/false; ${failed('kx-theirs.service')}`);
    const before = await host.exec(PICTURE);
    const messages: string[] = [];
    const sink = (event: RunEvent) =>
      void (event.type === 'node-report' && event.report.type === 'left' && messages.push(event.report.text));
    const options = { configFile: join(dir, 'c.yaml'), baseDir: dir, sinks: [sink] };
    const made = await runPipeline(create, undefined, options);
    expect(made.failures).toEqual([]);
    expect((await host.exec('systemctl is-active kx-demo.service')).trim()).toBe('active');
    expect((await runPipeline(create, undefined, options)).changes).toBe(0);
    await host.exec(`systemctl kill --signal=KILL kx-demo.service; ${failed('kx-demo.service')}`);
    const undone = await runPipeline(resetNodes, { nodes: [host.name] }, options);
    expect(undone.failures).toEqual([]);
    expect(undone.changes).toBe(Object.keys(steps).length + 1);
    expect(before).toContain('kx-theirs.service');
    expect(await host.exec(PICTURE)).toBe(before);
    expect(await host.exec('systemctl show -p LoadState kx-demo.service')).toBe('LoadState=not-found\n');
    expect(await host.exec('ls -d /var/lib/kubexm /run/kubexm 2>/dev/null || echo none')).toBe('none\n');
    expect(messages).toEqual([]);
  });
});
