import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeHosts, type Rig, type RigHost, startRig } from '../rig/sshd.ts';
import { call, MAIN, tempDir } from './rig/cli.ts';
import { clusterFile } from './rig/cluster-file.ts';
import { noTerminal, terminal } from './rig/terminal.ts';

const OTHER = `SHA256:${'x'.repeat(43)}`;

describeHosts('host keys of a cluster', () => {
  let rig: Rig;
  let prints: readonly string[];
  beforeAll(async () => {
    rig = await startRig({ hosts: 2 });
    prints = rig.hosts.map((host) => fingerprintOf(host));
  });
  afterAll(() => rig.close());

  const fingerprintOf = (host: RigHost) =>
    execFileSync('ssh-keygen', ['-lf', host.path('/etc/ssh/kx_ed25519.pub')], { encoding: 'utf8' }).split(' ')[1] ?? '';
  /** A directory with the file of the cluster, and what runs a command on all hosts of it. */
  const cluster = (policy: string, host?: (i: number) => string) => {
    const cwd = tempDir();
    const text = clusterFile(rig, host ? { host } : {}).replace('sshConfig: none', `sshConfig: none${policy}`);
    writeFileSync(join(cwd, 'c.yaml'), text);
    const env = { KUBEXM_HOME: join(cwd, 'home') };
    const pins = join(cwd, '.kubexm/demo/known_hosts');
    const words = ['run', 'command', '-f', 'c.yaml', '--nodes', 'all', '--yes'];
    return { cwd, pins, run: (...flags: string[]) => call([...words, ...flags, '--', 'true'], { cwd, env }) };
  };

  test.each(['', ', hostKeyPolicy: accept-new'])('new ones are pinned and shown once, in a table%s', async (policy) => {
    const { run, pins } = cluster(policy);
    const first = await run();
    expect(first.code, first.stderr).toBe(0);
    const lines = first.stderr.split('\n');
    const title = lines.findIndex((line) => line.includes('New host keys, trusted from now on'));
    expect(lines[title]).toContain(pins);
    expect(lines.slice(title + 2, title + 4).map((line) => line.trim().split(/ +/))).toEqual(
      prints.map((print, i) => [`host${i + 1}`, 'ssh-ed25519', print]),
    );
    const second = await run();
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).not.toContain('host keys');
  });

  test('strict refuses those that are not known, and pins nothing', async () => {
    const { run, pins } = cluster(', hostKeyPolicy: strict');
    const { code, stderr } = await run();
    expect(code).toBe(5);
    expect(stderr).toContain('KX3007');
    for (const print of prints) expect(stderr).toContain(print);
    expect(existsSync(pins)).toBe(false);
  });

  test('ask refuses them where nobody can be asked, also with --yes', async () => {
    const { run, pins } = cluster(', hostKeyPolicy: ask');
    const { code, stderr } = await run();
    expect(code).toBe(5);
    expect(stderr).toContain('KX3028');
    expect(stderr).not.toContain('KX1040');
    expect(existsSync(pins)).toBe(false);
  });

  test('those of the file are the only ones, and need no pin', async () => {
    const good = cluster(', hostKeyPolicy: strict', (i) => `hostKey: "${prints[i]}"`);
    const { code, stderr } = await good.run();
    expect(code, stderr).toBe(0);
    expect(existsSync(good.pins)).toBe(false);
    const bad = cluster('', (i) => `hostKey: "${i === 0 ? OTHER : prints[i]}"`);
    const refused = await bad.run();
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain(
      `KX3027 host1 shows the host key ${prints[0]}, which is not in its hostKey: ${OTHER}`,
    );
    expect(refused.stderr).not.toMatch(/KX\d+ .*host2/);
    expect(existsSync(bad.pins)).toBe(false);
  });

  test('a bastion has keys of its own', async () => {
    const [gate] = rig.hosts;
    const hop = (key: string) =>
      `bastion: {address: 127.0.0.1, port: ${gate?.port}, user: root, privateKeyPath: ${rig.key}, hostKey: "${key}"}`;
    const write = (key: string) => cluster('', (i) => (i === 0 ? 'labels: {}' : hop(key)));
    const good = await write(prints[0] ?? '').run();
    expect(good.code, good.stderr).toBe(0);
    const bad = await write(OTHER).run();
    expect(bad.stderr).toContain('KX3013');
    expect(bad.stderr).toContain(OTHER);
  });

  test('one that has changed is refused with the command that forgets the old one', async () => {
    const { run, pins, cwd } = cluster('');
    await run();
    const kept = readFileSync(pins, 'utf8');
    const second = rig.hosts[1] as RigHost;
    await second.newHostKeys();
    await second.restart();
    const { code, stderr } = await run();
    expect(code).not.toBe(0);
    expect(stderr).toContain('KX3005');
    expect(readFileSync(pins, 'utf8')).toBe(kept);
    const words = stderr.replaceAll(/\s*\n\s*/g, ' ');
    const command = /ssh-keygen -R '?\[127\.0\.0\.1\]:\d+'? -f \S+/.exec(words)?.[0];
    expect(command).toBeDefined();
    execFileSync('sh', ['-c', command ?? 'false'], { cwd, stdio: 'ignore' });
    const again = await run();
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain(fingerprintOf(second));
    prints = rig.hosts.map((host) => fingerprintOf(host));
  });

  describe.skipIf(noTerminal)(`at a terminal${noTerminal ? ` (${noTerminal})` : ''}`, () => {
    test('ask asks for one after the other, and pins what is accepted', async () => {
      const { cwd, pins } = cluster(', hostKeyPolicy: ask');
      const { tmux, until } = terminal(
        140,
        50,
        `cd '${cwd}'; unset SSH_AUTH_SOCK; HOME=/nonexistent KUBEXM_HOME=${cwd}/home '${process.execPath}' '${MAIN}' run command -f c.yaml --nodes all -- true; echo "code $?"`,
      );
      const first = (await until('The host key of host')).join('\n').includes('The host key of host1');
      tmux('send-keys', 'yes', 'Enter');
      await until(`The host key of host${first ? 2 : 1}`);
      tmux('send-keys', 'no', 'Enter');
      const lines = await until('code ');
      expect(lines.at(-1)).toBe('code 7');
      expect(lines.join('\n')).toContain('KX3029');
      expect(readFileSync(pins, 'utf8').trim().split('\n')).toHaveLength(1);
    });
  });
});
