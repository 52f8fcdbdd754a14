import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHosts, type Rig, type RigHost, startRig } from '../../../test/rig/sshd.ts';
import { connectSsh } from './client.ts';
import { tuneCipher } from './tune-cipher.ts';

describeHosts('the tuned cipher', () => {
  let rig: Rig;
  let host: RigHost;
  beforeAll(async () => {
    // New keys all the time: every one brings a new cipher.
    rig = await startRig({ sshd: ['RekeyLimit 1M'] });
    host = rig.hosts[0] as RigHost;
  });
  afterAll(() => rig.close());

  const plainClient = async (cipher: ssh2.CipherAlgorithm): Promise<ssh2.Client> => {
    const client = new ssh2.Client();
    const privateKey = await readFile(rig.key);
    await new Promise<void>((resolve, reject) => {
      client.on('ready', () => resolve()).on('error', reject);
      const address = { host: '127.0.0.1', port: host.port, username: 'root' };
      client.connect({ ...address, privateKey, algorithms: { cipher: [cipher] } });
    });
    return client;
  };

  test.each(['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'] as const)('fits this ssh2: %s', async (cipher) => {
    const client = await plainClient(cipher);
    expect(tuneCipher(client)).toBe(true);
    const answer = await new Promise<string>((resolve, reject) => {
      client.exec('sha256sum; head -c 100000 /dev/zero', (error, channel) => {
        if (error) return reject(error);
        let text = '';
        channel.on('data', (chunk: Buffer) => {
          text += chunk.toString('latin1');
        });
        channel.on('close', () => resolve(text));
        channel.end('x'.repeat(1000));
      });
    });
    client.end();
    expect(answer.slice(0, 64)).toBe(createHash('sha256').update('x'.repeat(1000)).digest('hex'));
  });

  test('leaves other ciphers alone', async () => {
    const client = await plainClient('aes128-ctr');
    expect(tuneCipher(client)).toBe(false);
    client.end();
  });

  test('packets of every size, across many key changes', async () => {
    const connection = await connectSsh(host.target());
    const channel = await connection.exec('cat');
    const received: Buffer[] = [];
    channel.stdout.on('data', (chunk: Buffer) => received.push(chunk));
    channel.stderr.resume();
    const sent: Buffer[] = [];
    for (let i = 0; i < 400; i++) {
      const chunk = randomBytes(i < 300 ? i : 60_000 + i);
      sent.push(chunk);
      await new Promise<void>((resolve) => {
        channel.stdin.write(chunk, () => resolve());
      });
    }
    channel.stdin.end();
    expect((await channel.exit).code).toBe(0);
    expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true);
    await connection.close();
  });
});
