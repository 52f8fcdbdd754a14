import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { creatable, fromPrograms } from '../../test/plans/create-cases.ts';
import { exampleConfig } from '../config/index.ts';
import { SUPPORTED_KUBERNETES } from '../model/cluster/text.ts';
import { createCluster } from '../pipeline/index.ts';
import { checkConfig } from './check-config.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubexm-check-'));

async function check(text: string, env: NodeJS.ProcessEnv = {}) {
  const file = join(directory, 'cluster.yaml');
  writeFileSync(file, text);
  const { cluster, problems } = await checkConfig(file, createCluster, { env: { HOME: directory, ...env } });
  const errors = problems.filter(({ severity }) => severity === 'error');
  return { cluster, said: errors.map(({ code, at, params }) => `${at.line} ${code} ${String(params['field'])}`) };
}

describe('every output of generate config can be created', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 10, 50, 250])('--nodes %s, with and without --full', async (nodes) => {
    for (const full of [false, true]) {
      const { cluster, said } = await check(exampleConfig({ nodes, full }));
      expect(said).toEqual([]);
      expect(cluster?.spec.hosts).toHaveLength(nodes);
    }
  });
});

describe('what create would refuse later', () => {
  const VERSION = `v1.${SUPPORTED_KUBERNETES.last}.999`;
  test.each<[string, string, string]>([
    [
      'fields that it cannot act on',
      creatable({ more: '  storage: {openebs: {basePath: /data/volumes}}\n' }),
      'KX4010 spec.storage',
    ],
    [
      'values that it cannot act on',
      creatable().replace('plugin: flannel', 'plugin: cilium'),
      'KX4041 spec.network.plugin',
    ],
    ['a version that the catalog does not have', creatable({ version: VERSION }), 'KX7003 spec.kubernetes.version'],
    [
      'a version of a component',
      creatable().replace('etcd: {type: kubeadm}', 'etcd: {type: kubeadm, version: 3.5.999}'),
      'KX7003 spec.etcd.version',
    ],
    ['a key', creatable({ more: '  ssh: {privateKeyPath: ~/no-such-key}\n' }), 'KX2805 spec.ssh.privateKeyPath'],
    [
      'a CA',
      fromPrograms(creatable({ more: '  pki: {ca: {caFile: no.crt, keyFile: no.key}}\n' })),
      'KX2805 spec.pki.ca.caFile',
    ],
    [
      'a bundle',
      creatable({ more: '  artifacts: {sources: [{type: bundle, path: no.tar}]}\n' }),
      'KX2805 spec.artifacts',
    ],
    ['a variable', creatable({ more: '  ssh: {password: "env:NOT_SET_AT_ALL"}\n' }), 'KX2801 spec.'],
    ['a file of a secret', creatable({ more: '  ssh: {password: "file:/no/such/file"}\n' }), 'KX2802 spec.'],
  ])('%s', async (_name, text, expected) => {
    const { cluster, said } = await check(text);
    expect(
      said.some((one) => one.replace(/^\d+ /, '').startsWith(expected)),
      said.join('\n'),
    ).toBe(true);
    // Where it is written.
    expect(said.every((one) => Number.parseInt(one, 10) > 4)).toBe(true);
    expect(cluster).toBeUndefined();
  });
});

test('what is there is no problem', async () => {
  writeFileSync(join(directory, 'key'), '');
  writeFileSync(join(directory, 'ca.crt'), '');
  const ssh = '  ssh: {privateKeyPath: ~/key, password: "env:HERE", sudoPassword: prompt}\n';
  const text = creatable({ more: `${ssh}  pki: {ca: {caFile: ca.crt, keyFile: ~/key}}\n` });
  expect((await check(fromPrograms(text), { HERE: 'secret' })).said).toEqual([]);
});

test('what is wrong in itself is said first', async () => {
  const { said } = await check(creatable({ version: 'v1.2.3', more: '  storage: {openebs: {}}\n' }));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('KX2318');
});
