import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/index.ts';
import type { Lab, LabMachine } from './types.ts';
import { keepLabConfig, sshWords } from './use.ts';

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kubexm use-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function machineIn(dir: string, index: number): LabMachine {
  return {
    name: `t-${index}`,
    lab: 't',
    index,
    state: 'running',
    address: `10.88.1.${index + 3}`,
    user: 'admin',
    sshKeyPath: join(dir, 'id_ed25519'),
    hostKey: 'ssh-ed25519 AAAA',
    sudoPasswordFile: join(dir, 'sudo-password'),
    partitioned: false,
    delayMs: 0,
    dir,
    upperDir: join(dir, 'upper'),
    baseDir: join(dir, 'base'),
    dataDirs: [],
  };
}

test('ssh knows the machine by its own key, uses the lab’s, and nothing of the user’s', async () => {
  const dir = tempDir();
  const words = await sshWords(machineIn(dir, 1));
  expect(words.at(-1)).toBe('admin@10.88.1.4');
  expect(words.slice(0, 4)).toEqual(['-F', 'none', '-i', join(dir, 'id_ed25519')]);
  // The path has a space, at which ssh would split it.
  expect(words).toContain(`UserKnownHostsFile="${join(dir, 'known_hosts')}"`);
  expect(words).toContain('StrictHostKeyChecking=yes');
  expect(readFileSync(join(dir, 'known_hosts'), 'utf8')).toBe('10.88.1.4 ssh-ed25519 AAAA\n');
});

test('the cluster file of a lab is private, valid, and written only when it differs', async () => {
  const dir = tempDir();
  const machines = [1, 2, 3].map((index) => machineIn(dir, index));
  const lab: Lab = {
    name: 't',
    provider: 'nspawn',
    phase: 'ready',
    image: 'debian-12',
    user: 'admin',
    created: '2026-01-01T00:00:00Z',
    subnet: '10.88.1.0/24',
    gateway: '10.88.1.1',
    link: 'kx-t',
    repository: 'http://10.88.1.1:3142',
    dir,
    machines,
    snapshots: [],
  };
  const file = await keepLabConfig(lab);
  const { cluster, problems } = await loadConfig(file);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(cluster?.spec.hosts.map(({ name, address }) => `${name} ${address}`)).toEqual([
    't-1 10.88.1.4',
    't-2 10.88.1.5',
    't-3 10.88.1.6',
  ]);
  const { mode, ino } = statSync(file);
  expect(mode & 0o777).toBe(0o600);
  await keepLabConfig(lab);
  expect(statSync(file).ino).toBe(ino);
  await keepLabConfig({ ...lab, machines: machines.slice(0, 1) });
  expect(readFileSync(file, 'utf8')).not.toMatch(/name: t-2/);
});
