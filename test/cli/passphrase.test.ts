import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMachine } from '../../src/host/index.ts';
import { MASK } from '../../src/model/text/mask.ts';
import { describeHosts, type Rig, startRig } from '../rig/sshd.ts';
import { call, MAIN } from './rig/cli.ts';
import { noTerminal, terminal } from './rig/terminal.ts';

const PHRASE = 'sesame-open-4711';

describeHosts('an encrypted key', () => {
  let rig: Rig;
  let dir: string;
  beforeAll(async () => {
    rig = await startRig({ hosts: 3 });
    dir = mkdtempSync(join(tmpdir(), 'kubexm-passphrase-'));
    const key = join(dir, 'id');
    copyFileSync(rig.key, key);
    execFileSync('ssh-keygen', ['-q', '-p', '-a', '1', '-P', '', '-N', PHRASE, '-f', key]);
    const hosts = rig.hosts.map(
      (host, i) => `  - {name: ${host.name}, address: 127.0.0.1, port: ${host.port}, internalAddress: 10.9.0.${i + 1}}`,
    );
    writeFileSync(
      join(dir, 'c.yaml'),
      `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, privateKeyPath: ${key}, sshConfig: none, connectTimeoutSeconds: 2}
  hosts:
${hosts.join('\n')}
  roleGroups: {master: [host1], etcd: [host1], worker: [host2, host3]}
  kubernetes: {version: v1.34.4}
`,
    );
  });
  afterAll(async () => {
    await rig.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const home = () => `HOME=/nonexistent KUBEXM_HOME=${dir}/home`;
  const typing = (args: string) =>
    terminal(
      140,
      50,
      `cd '${dir}'; unset SSH_AUTH_SOCK; ${home()} '${process.execPath}' '${MAIN}' ${args}; echo "code $?"`,
    );
  const count = (lines: readonly string[], text: string) => lines.filter((line) => line.includes(text)).length;

  test('where nobody can be asked it is said, for every host', async () => {
    const { code, stderr } = await call(['run', 'command', '-f', 'c.yaml', '--nodes', 'all', '--', 'true'], {
      cwd: dir,
      env: { KUBEXM_HOME: join(dir, 'home') },
    });
    expect(code).toBe(5);
    expect(stderr).toContain(`a question cannot be asked here: Passphrase of ${join(dir, 'id')}`);
    expect(stderr).not.toContain('KX1099');
  });

  describe.skipIf(noTerminal)(`at a terminal${noTerminal ? ` (${noTerminal})` : ''}`, () => {
    test('is asked for once for three hosts, again if it was wrong, however long it takes; and is never shown', async () => {
      const { tmux, until } = typing(
        `run command -f c.yaml --nodes all -- 'echo ${PHRASE.slice(0, 6)}; echo ${PHRASE}'`,
      );
      await until('Passphrase of');
      // Longer than a connection may take.
      await delay(2200);
      tmux('send-keys', 'wrong', 'Enter');
      await until('That was wrong (1). Passphrase of');
      tmux('send-keys', PHRASE, 'Enter');
      const lines = await until('code ');
      expect(lines.join('\n')).toContain('3 hosts, 3 ok');
      expect(count(lines, 'Passphrase of')).toBe(2);
      expect(count(lines, '│ sesame')).toBe(3);
      expect(count(lines, `│ ${MASK}`)).toBe(3);
      expect(lines.at(-1)).toBe('code 0');
      const kept = readdirSync(join(dir, '.kubexm/demo/runs'));
      expect(kept).toHaveLength(1);
      const found = spawnSync('grep', ['-rl', PHRASE, join(dir, '.kubexm')], { encoding: 'utf8' });
      expect(found).toMatchObject({ status: 1, stdout: '' });
    });

    test('Ctrl-C at the question ends it all with 130', async () => {
      const { tmux, until } = typing('run command -f c.yaml --nodes all -- true');
      await until('Passphrase of');
      tmux('send-keys', 'C-c');
      const lines = await until('code ');
      expect(lines.at(-1)).toBe('code 130');
      expect(count(lines, 'Passphrase of')).toBeLessThanOrEqual(2);
      expect(lines.join('\n')).toContain('KX1041');
      expect(lines.join('\n')).not.toMatch(/KX1099|KX4024/);
    });

    test('unlock, which connects twice, asks once', async () => {
      const machine = await connectMachine(rig.hosts[1]!.target());
      const words = { cluster: 'demo', pipeline: 'create cluster', user: 'ann', machine: 'desk', since: '2025-01-02' };
      await machine.lock({ run: 'r1', pid: 1, ...words });
      const { tmux, until } = typing('unlock -f c.yaml --yes');
      await until('Passphrase of');
      tmux('send-keys', PHRASE, 'Enter');
      const lines = await until('code ');
      await machine.close();
      expect(count(lines, 'Passphrase of')).toBe(1);
      expect(lines.join('\n')).toContain('Unlocked: host2');
      expect(lines.at(-1)).toBe('code 0');
    });
  });
});
