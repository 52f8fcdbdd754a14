import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openCluster } from './open-config.ts';

const dir = mkdtempSync(join(tmpdir(), 'kubexm-files-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('certificates that a file names are relative to its own directory, or to the home', async () => {
  const file = join(dir, 'c.yaml');
  writeFileSync(
    file,
    `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: c}
spec:
  hosts: [{name: n1, address: 192.0.2.1}]
  roleGroups: {master: [n1], worker: [n1]}
  kubernetes: {type: kubexm, version: v1.34.2, audit: {enabled: true, policyFile: policy.yaml}}
  pki: {ca: {caFile: ca/ca.crt, keyFile: /etc/ca.key}}
  etcd:
    type: external
    external: {endpoints: ["https://192.0.2.9:2379"], caFile: ../ca.crt, certFile: ~/client.crt, keyFile: client.key}
`,
  );
  const { spec } = (await openCluster(file)).cluster;
  expect(spec.pki.ca).toEqual({ caFile: join(dir, 'ca/ca.crt'), keyFile: '/etc/ca.key' });
  expect(spec.kubernetes.audit.policyFile).toBe(join(dir, 'policy.yaml'));
  expect(spec.etcd.external).toMatchObject({
    caFile: join(dir, '../ca.crt'),
    certFile: join(homedir(), 'client.crt'),
    keyFile: join(dir, 'client.key'),
  });
});
