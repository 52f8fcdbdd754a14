import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { eventually } from '../rig/engine.ts';
import { cli, tempDir } from './rig/cli.ts';

const CONFIG = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, password: env:NOT_SET_ANYWHERE}
  hosts: [{name: node1, address: 192.0.2.1}]
  roleGroups: {master: [node1], worker: [node1]}
  kubernetes: {version: v1.34.2}
  etcd: {type: kubeadm}
  network: {plugin: flannel}
  dns: {nodelocaldns: {enabled: false}}
`;

/** A machine on which every build takes for ever: go, and a compiler that it has started. */
function endlessBuilds(cwd: string): { readonly bin: string; readonly pids: () => readonly number[] } {
  const bin = join(cwd, 'bin');
  const pids = join(cwd, 'pids');
  mkdirSync(bin);
  const program = (name: string, text = 'exit 0') =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const settings = '{"GOVERSION":"go1.26.8","GOPROXY":"https://proxy.example"}';
  program('go', `[ "$1" != env ] || { echo '${settings}'; exit 0; }\nsleep 600 &\necho "$$ $!" >>'${pids}'\nwait`);
  for (const name of ['gcc', 'pkg-config', 'apt-config', 'apt-cache', 'apt-get', 'dpkg-deb']) program(name);
  return {
    bin,
    pids: () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split(/\s+/).map(Number) : []),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that ended and was not waited for yet counts as gone.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the first signal while programs are built', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the builds at once', { timeout: 120_000 }, async (signal) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'c.yaml'), CONFIG);
    const { bin, pids } = endlessBuilds(cwd);
    const path = `${bin}:${process.env['PATH']}`;
    const ended = await cli(['download', 'artifacts', '-f', 'c.yaml'], {
      cwd,
      env: { KUBEXM_HOME: join(cwd, 'home'), KUBEXM_SOURCES: 'go', PATH: path },
      started: (child) =>
        void vi.waitUntil(() => pids().length > 0, { timeout: 60_000 }).then(() => child.kill(signal)),
    });
    expect(ended.code).toBe(130);
    expect(ended.stderr).toContain('0 of');
    expect(ended.stderr).not.toMatch(/rolling back|KX70/);
    await eventually(() => !pids().some(isAlive));
  });
});
