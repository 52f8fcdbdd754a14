import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHosts, type Rig, startFaultyServer, startRig } from '../../test/rig/sshd.ts';
import { kubexmError } from '../model/errors/index.ts';
import { sh } from '../model/script.ts';
import { MASK } from '../model/text/mask.ts';
import { inLanguage } from '../model/text/spoken.ts';
import type { Question } from '../plan/step.ts';
import { openConfig } from '../state/open-config.ts';
import { makeWorkDir } from '../state/work-dir.ts';
import { type ConnectOptions, connectHosts } from './connect.ts';

describeHosts('connecting to the hosts of a run', () => {
  let rig: Rig;
  let dir: string;
  let locked: string;
  beforeAll(async () => {
    rig = await startRig({ hosts: 3 });
    dir = mkdtempSync(join(tmpdir(), 'kubexm-connect-'));
    locked = join(dir, 'locked');
    copyFileSync(rig.key, locked);
    execFileSync('ssh-keygen', ['-q', '-p', '-a', '1', '-P', '', '-N', 'sesame-open', '-f', locked]);
  });
  afterAll(async () => {
    await rig.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Connects with an encrypted key; `more`: ports of hosts beside those of the rig. */
  const connect = async (options: Partial<ConnectOptions>, more: readonly number[] = [], key = locked, order = '') => {
    const inOrder = [...rig.hosts.map((host) => host.port), ...more];
    const ports = order === 'reversed' ? inOrder.toReversed() : inOrder;
    const names = ports.map((_, i) => `node${i + 1}`);
    const hosts = ports.map(
      (port, i) => `  - {name: node${i + 1}, address: 127.0.0.1, port: ${port}, internalAddress: 10.9.0.${i + 1}}`,
    );
    const file = join(dir, 'c.yaml');
    writeFileSync(
      file,
      `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, privateKeyPath: ${key}, sshConfig: none}
  hosts:
${hosts.join('\n')}
  roleGroups: {master: [node1], etcd: [node1], worker: [${names.join(', ')}]}
  kubernetes: {version: v1.34.4}
`,
    );
    const env = { HOME: '/nonexistent' };
    const config = await openConfig(file, { name: 'test', actsOn: ['**'] }, { env, ask: undefined });
    const workDir = makeWorkDir(dir, 'demo');
    return { config, connected: await connectHosts(config, names, workDir, { env, ...options }) };
  };
  test('hosts that do not answer keep none of the others waiting', async () => {
    const silent = await Promise.all(Array.from({ length: 30 }, () => startFaultyServer('stall-login')));
    try {
      const began = Date.now();
      const ready: number[] = [];
      // The rig's hosts are the first: turned round, they are behind all that are silent.
      const { connected } = await connect(
        { onConnected: () => ready.push(Date.now() - began) },
        silent.map(({ port }) => port),
        rig.key,
        'reversed',
      );
      await connected.close();
      expect([ready.length, connected.unreachable.size]).toEqual([3, 30]);
      // Login may take 15 s; nobody behind them waits for that.
      expect(Math.max(...ready)).toBeLessThan(14_000);
    } finally {
      await Promise.all(silent.map((server) => server.close()));
    }
  });

  /** Logins that are open there. */
  const sessions = async () => {
    const counts = rig.hosts.map((host) => host.exec('pgrep -fc "[s]shd.*: root" || true'));
    return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0);
  };

  test('one question for a key that many hosts need, also after cuts; the answer is a secret; a drain ends no reconnecting', async () => {
    const questions: string[] = [];
    const drain = new AbortController();
    const { config, connected } = await connect({
      drain: drain.signal,
      ask: ({ text }) => {
        questions.push(inLanguage(text));
        return Promise.resolve(questions.length === 1 ? 'sesame-wrong' : 'sesame-open');
      },
    });
    try {
      expect([...connected.unreachable.keys()]).toEqual([]);
      expect([...connected.machines.keys()].sort()).toEqual(['local', 'node1', 'node2', 'node3']);
      expect(config.redactor.text('say sesame-open and sesame-wrong')).toBe(`say ${MASK} and ${MASK}`);
      expect(await sessions()).toBeGreaterThanOrEqual(3);
      drain.abort();
      for (const host of rig.hosts) await host.cutConnections();
      for (const name of ['node1', 'node2', 'node3']) {
        expect(await connected.machines.get(name)?.run(sh`echo back`)).toMatchObject({ stdout: 'back\n' });
      }
      expect(questions).toEqual([`Passphrase of ${locked}`, `That was wrong (1). Passphrase of ${locked}`]);
    } finally {
      await connected.close();
    }
  });

  test('a person who does not want to answer ends it all, once', async () => {
    let asked = 0;
    const ask = ({ text }: Question) => {
      asked++;
      return Promise.reject(kubexmError('KX1041', { question: inLanguage(text) }));
    };
    await expect(connect({ ask })).rejects.toMatchObject({ code: 'KX1041' });
    expect(asked).toBe(1);
  });

  test.each(['drain', 'stop'] as const)(
    '%s while a host hangs: KX4009 at once, and nobody stays logged in',
    async (how) => {
      const silent = await startFaultyServer('silent');
      const abort = new AbortController();
      const connected: string[] = [];
      const onConnected = (host: string) => {
        if (connected.push(host) === 3) abort.abort();
      };
      const began = Date.now();
      try {
        const trying = connect({ [how]: abort.signal, onConnected }, [silent.port], rig.key);
        await expect(trying).rejects.toMatchObject({ code: 'KX4009' });
        expect(Date.now() - began).toBeLessThan(10_000);
        expect(connected).toHaveLength(3);
        await expect.poll(sessions, { timeout: 5000 }).toBe(0);
      } finally {
        await silent.close();
      }
    },
  );

  test('interrupted before it began: nobody is called', async () => {
    const connected: string[] = [];
    const options = { drain: AbortSignal.abort(), onConnected: (host: string) => void connected.push(host) };
    await expect(connect(options)).rejects.toMatchObject({ code: 'KX4009' });
    expect(connected).toEqual([]);
  });
});
