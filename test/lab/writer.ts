import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import type { TestLab } from './fixture.ts';

/** A write that has no answer by then is given up; it may be there or not. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 100;
const ENDPOINT = 'lb.kubexm.local';

/** A write that the API has acknowledged. */
export interface Write {
  /** In milliseconds. */
  readonly at: number;
  readonly name: string;
}

/** A client that writes all the time. */
export interface Writer {
  readonly acknowledged: readonly Write[];
  stop(): Promise<void>;
}

/**
 * Starts one: a ConfigMap every 100 ms, as the administrator, each over a connection of its own. It reaches the endpoint of the
 * cluster from one of the machines, as that machine does.
 */
export async function startWriter(lab: TestLab, machine: number, kubeconfig: string): Promise<Writer> {
  const port = await freePort();
  const tunnel = await tunnelThrough(lab, machine, port);
  const agent = new Agent({ keepAlive: false, ...credentialsOf(kubeconfig), servername: ENDPOINT });
  const acknowledged: Write[] = [];
  let stopped = false;
  const write = async (): Promise<void> => {
    for (let n = 1; !stopped; n++) {
      const name = `w-${n}`;
      if (await isWritten(agent, port, name)) acknowledged.push({ at: Date.now(), name });
      await sleep(PAUSE_MS);
    }
  };
  const writing = write();
  return {
    acknowledged,
    stop: async () => {
      stopped = true;
      await writing;
      tunnel.kill();
    },
  };
}

/** The longest time without a success that ended after a moment, in milliseconds. */
export function longestPause(acknowledged: readonly Write[], since: number): number {
  const pauses = acknowledged.map(({ at }, i) => (at < since ? 0 : at - (acknowledged[i - 1]?.at ?? at)));
  return Math.max(0, ...pauses);
}

function credentialsOf(kubeconfig: string): { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer } {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64');
  return {
    ca: bytes(clusters[0]?.cluster['certificate-authority-data']),
    cert: bytes(users[0]?.user['client-certificate-data']),
    key: bytes(users[0]?.user['client-key-data']),
  };
}

async function tunnelThrough(lab: TestLab, index: number, port: number) {
  const { address, user, sshKeyPath } = await lab.machine(index);
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'ExitOnForwardFailure=yes',
    'LogLevel=ERROR',
  ];
  const words = ['-N', '-F', 'none', '-i', sshKeyPath, ...options.flatMap((option) => ['-o', option])];
  const forward = `127.0.0.1:${port}:${ENDPOINT}:6443`;
  return spawn('ssh', [...words, '-L', forward, `${user}@${address}`], { stdio: 'ignore' });
}

function isWritten(agent: Agent, port: number, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/api/v1/namespaces/default/configmaps',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      agent,
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    const sent = request(options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode === 201)).once('error', () => resolve(false));
    });
    sent.once('error', () => resolve(false));
    sent.end(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
