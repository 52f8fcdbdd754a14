import { expect, test } from 'vitest';
import { loadConfig } from '../config/index.ts';
import { labConfig } from './config.ts';
import type { Lab, LabMachine } from './types.ts';

function lab(machines: number, sudo = false): Lab {
  const one = (index: number): LabMachine => ({
    name: `t-${index}`,
    lab: 't',
    index,
    state: 'running',
    address: `10.88.7.${index + 3}`,
    user: sudo ? 'admin' : 'root',
    sshKeyPath: '/state/labs/t/id_ed25519',
    hostKey: 'ssh-ed25519 AAAA',
    ...(sudo && { sudoPasswordFile: '/state/labs/t/sudo-password' }),
    partitioned: false,
    delayMs: 0,
    dir: '/state/labs/t/machines/t-1',
    upperDir: '/state/labs/t/machines/t-1/upper',
    baseDir: '/cache/base',
    dataDirs: [],
  });
  return {
    name: 't',
    provider: 'nspawn',
    phase: 'ready',
    image: 'debian-12',
    user: sudo ? 'admin' : 'root',
    created: '2026-01-01T00:00:00.000Z',
    subnet: '10.88.7.0/24',
    gateway: '10.88.7.1',
    link: 'kx-t',
    repository: 'http://10.88.7.1:3142',
    dir: '/state/labs/t',
    machines: Array.from({ length: machines }, (_, i) => one(i + 1)),
    snapshots: [],
  };
}

test.each([1, 2, 3, 4, 5, 20])('the configuration of %i machines loads without a problem', async (count) => {
  const text = labConfig(lab(count, count % 2 === 0));
  const { cluster, problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems).toEqual([]);
  expect(cluster?.spec.hosts).toHaveLength(count);
});

test('sudo’s password is a reference to its file', () => {
  expect(labConfig(lab(1, true))).toContain('sudoPassword: "file:/state/labs/t/sudo-password"');
  expect(labConfig(lab(1))).not.toContain('sudoPassword');
});
