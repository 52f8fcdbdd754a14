import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { absent, seen } from '../../../test/support/seen.ts';
import type { Host } from '../../model/host.ts';
import type { StepIo } from '../../plan/step.ts';
import { kubeconfig } from './index.ts';

const ADMIN = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: QUJD
    server: https://lb.kubexm.local:6443
  name: demo
kind: Config
users:
- name: kubernetes-admin
  user:
    client-key-data: c2VjcmV0
`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let dir: string;
let to: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-kubeconfig-'));
  to = join(dir, 'work', 'kubeconfig');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const want = () => ({
  path: '/etc/kubernetes/admin.conf',
  to,
  inside: 'https://lb.kubexm.local:6443',
  outside: 'https://192.0.2.1:6443',
});
const onHost = (text: string) => seen({ sha256: sha256(text), size: text.length });
const { judge, apply } = kubeconfig.definition;

function master(text: string): Host {
  const get = async (_path: string, local: string) => writeFileSync(local, text, { mode: 0o600 });
  return { name: 'cp1', get } as unknown as Host;
}
const io = { signal: new AbortController().signal } as unknown as StepIo;

test('is the same but for the server, for its owner only, and then as wanted', async () => {
  expect(judge!(onHost(ADMIN), want())).toMatchObject({ verdict: 'needed' });
  const kept = await apply(master(ADMIN), want(), io);
  expect(readFileSync(to, 'utf8')).toBe(ADMIN.replace('lb.kubexm.local', '192.0.2.1'));
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dir, 'work'))).toEqual(['kubeconfig']);
  expect(judge!(onHost(ADMIN), want())).toEqual({ verdict: 'satisfied', output: kept });
});

test.each<[string, () => void]>([
  ['another server', () => writeFileSync(to, ADMIN.replace('lb.kubexm.local', '192.0.2.9'))],
  ['the one of the nodes', () => writeFileSync(to, ADMIN)],
  ['another key', () => writeFileSync(to, readFileSync(to, 'utf8').replace('c2VjcmV0', 'b3RoZXI='))],
  ['others may read it', () => chmodSync(to, 0o644)],
  ['it is gone', () => rmSync(to)],
])('is fetched again: %s', async (_, change) => {
  await apply(master(ADMIN), want(), io);
  change();
  expect(judge!(onHost(ADMIN), want())).toMatchObject({ verdict: 'needed' });
});

test('is fetched again when the host has another one, and needed where it has none', async () => {
  await apply(master(ADMIN), want(), io);
  expect(judge!(onHost(`${ADMIN}# new\n`), want())).toMatchObject({ verdict: 'needed' });
  expect(judge!(absent, want())).toMatchObject({ verdict: 'needed' });
});

test('no key is ever printed by a look', () => {
  expect(kubeconfig.definition.probe!(want()).script).not.toMatch(/\bcat\b/);
});
