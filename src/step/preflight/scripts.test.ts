import { createSocket } from 'node:dgram';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inEveryShell, onPath, posixShells, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { splitFacts } from '../../host/facts/raw.ts';
import { lookScript } from './look-script.ts';
import { listenScript, reachScript, STOP_SCRIPT } from './reach.ts';
import { syncScript } from './sync.ts';

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const canListen = onPath('systemd-socket-activate') !== undefined || onPath('python3') !== undefined;

inEveryShell('the scripts', (shell, inTurn) => {
  let dir: string;
  let places: { readonly state: string; readonly run: string };
  const run = (script: { readonly script: string }) => runWithLibrary(shell, script.script, places);

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-preflight-'));
    places = { state: join(dir, 'state'), run: join(dir, 'run') };
    mkdirSync(join(places.state, 'manifest'), { recursive: true });
    mkdirSync(places.run);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  inTurn(
    'a look finds who holds a port, who owns the machine, what etcd left, and which modules there are',
    async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      mkdirSync(join(dir, 'etcd', 'member'), { recursive: true });
      try {
        const free = await freePort();
        const etcdDir = join(dir, 'etcd');
        const look = lookScript({
          ports: [free, port],
          modules: ['no_such_module'],
          etcdDir,
          domain: 'nowhere.invalid',
          free: { addresses: ['127.0.0.1', '127.0.0.2'], port },
        });
        const output = await run(look);
        expect(output.code, output.stderr).toBe(0);
        const { lines } = splitFacts(output.stdout);
        expect(lines('ports')).toEqual([expect.stringMatching(new RegExp(`^${port} ${process.pid} \\S+$`))]);
        expect(lines('left')).toContain(etcdDir);
        expect(lines('modules')).toEqual(['module no_such_module missing']);
        expect(lines('domain')).toEqual([]);
        // One address has somebody who listens, the other a machine that refuses.
        if (onPath('bash') !== undefined) expect(lines('taken')).toEqual(['127.0.0.1', '127.0.0.2']);
        for (const line of lines('nameservers')) expect(line).toMatch(/^\S+ (yes|no|unknown)$/);

        writeFileSync(join(places.state, 'manifest', 'cluster'), 'a-b-c demo\n');
        const owned = splitFacts((await run(look)).stdout);
        expect(owned.lines('owner')).toEqual(['a-b-c demo']);
      } finally {
        server.close();
        rmSync(join(places.state, 'manifest', 'cluster'), { force: true });
      }
    },
  );

  if (canListen)
    inTurn('hosts listen, reach each other, and leave nothing behind', async () => {
      const [own, other] = [await freePort(), await freePort()];
      expect((await run(listenScript([own], 60))).stdout.trim()).toBe('listening');
      const targets = [own, other].map((port) => ({ host: `h${port}`, address: '127.0.0.1', port }));
      // Twice: the listener never answers, and must not mind.
      await run(reachScript(targets));
      expect((await run(reachScript(targets))).stdout.trim().split('\n')).toEqual([`no h${other} ${other}`, 'done']);
      // Somebody listens there already, and that will do.
      expect((await run(listenScript([own], 60))).stdout.trim()).toBe('listening');
      expect((await run(STOP_SCRIPT)).code).toBe(0);
      await sleep(300);
      expect((await run(reachScript(targets))).stdout).toContain(`no h${own} ${own}`);
      expect((await run(STOP_SCRIPT)).code).toBe(0);
      expect(readdirSync(places.run)).toEqual([]);
    });

  inTurn('a disk is measured where etcd’s directory will be, and nothing stays there', async () => {
    const fresh = join(dir, 'data');
    mkdirSync(fresh);
    const output = await run(syncScript(join(fresh, 'not', 'there')));
    expect(Number(output.stdout), output.stderr).toBeGreaterThan(0);
    expect(readdirSync(fresh)).toEqual([]);
    writeFileSync(join(places.state, 'manifest', 'cluster'), 'a-b-c demo\n');
    expect((await run(syncScript(fresh))).stdout).toBe('');
    rmSync(join(places.state, 'manifest', 'cluster'));
  });
});

test('the question to a nameserver is one that can be answered', async () => {
  const asked: Buffer[] = [];
  const server = createSocket('udp4');
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  server.on('message', (message, from) => {
    asked.push(message);
    server.send(message, from.port, from.address);
  });
  const [shell] = posixShells();
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-preflight-dns-'));
  try {
    const { script } = lookScript({ ports: [], modules: [] });
    const ask = /exec 3<>.*?-u 3 x/s.exec(script)?.[0] ?? '';
    const text = ask.replace('/53"', `/${server.address().port}"`);
    const output = await runWithLibrary(shell!, `bash -c '${text}' 127.0.0.1; echo $?`, { state: dir, run: dir });
    expect(output.stdout.trim(), output.stderr).toBe('0');
    // A query, recursion desired, one question: the name servers of the root.
    expect(asked[0]?.toString('hex')).toBe('1234010000010000000000000000020001');
  } finally {
    server.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
