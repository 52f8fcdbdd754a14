import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser, describeHosts, type Rig, startRig } from '../rig/sshd.ts';
import { call, tempDir } from './rig/cli.ts';
import { clusterFile } from './rig/cluster-file.ts';

describeHosts('a cluster of which one host is away and one has no sudo', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ hosts: 3 });
    await addUser(rig.hosts[2]!, { name: 'plain', publicKey: `${rig.key}.pub` });
    await rig.hosts[1]!.stop();
  });
  afterAll(() => rig.close());

  /** What a command says of it, in a directory of its own. */
  async function said(args: readonly string[], cwd = tempDir()) {
    const roles = 'master: [host2], worker: [host1, host3]';
    const host = (place: number) => `user: ${place === 2 ? 'plain' : 'root'}`;
    writeFileSync(join(cwd, 'c.yaml'), clusterFile(rig, { roles, host }));
    const { code, stdout, stderr } = await call([...args, '-f', 'c.yaml', '-y'], {
      cwd,
      env: { KUBEXM_HOME: join(cwd, 'home') },
    });
    return { code, stdout, stderr, flat: stderr.replace(/\s+/g, ' ') };
  }
  /** Everything on the host that answers which kubexm could have left. */
  const left = () => rig.hosts[0]!.exec('ls -A /var/lib/kubexm /run/kubexm /etc/kubernetes 2>/dev/null; :');

  test('create cluster tells of all three in one table, changes nothing, and is refused as ever', async () => {
    const cwd = tempDir();
    const before = await left();
    const { code, flat } = await said(['create', 'cluster'], cwd);
    expect(code).toBe(5);
    expect(flat).toContain('Preflight. Hosts: 3, ');
    expect(flat).toMatch(/error host2 KX3001 .* → Check that sshd runs there/);
    expect(flat).toMatch(/error host3 KX3021 .* → Give the password, or allow plain to use sudo without one/);
    expect(flat).toMatch(/error host1 KX4524 the machine does not have its internal address \(10\.9\.0\.1\)/);
    expect(flat).toContain('KX4024 2 of 3 hosts cannot be used');
    expect(await left()).toBe(before);
    const resumed = await said(['create', 'cluster', '--resume'], cwd);
    expect(resumed.stderr).toContain('KX4006');
  });

  test('the checks alone do so too; without them, in a dry run or for a part of it there is no table', async () => {
    const checked = await said(['run', 'task', 'preflight/check']);
    expect(checked.code).toBe(5);
    expect(checked.flat).toMatch(/error host2 KX3001/);
    for (const args of [['--skip-preflight'], ['--dry-run'], ['--tags', 'containerd']]) {
      const { code, stderr } = await said(['create', 'cluster', ...args]);
      expect([args, code]).toEqual([args, 5]);
      expect(stderr).toContain('KX4024');
      expect(stderr).not.toContain('Preflight.');
    }
  });
});
