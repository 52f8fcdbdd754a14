import { expect, test, vi } from 'vitest';
import { changed, plus } from '../../test/configs/cases.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { loadConfig } from './load.ts';
import { listSecrets, resolveSecrets } from './secrets.ts';

async function load(text: string): Promise<Cluster> {
  return (await loadConfig({ text, file: 'cluster.yaml' })).cluster!;
}
const secret = (one: string, two: string) =>
  changed(['172.16.0.2}', `172.16.0.2, password: "${one}"}`], ['172.16.0.3}', `172.16.0.3, password: "${two}"}`]);
const nothing = { env: {}, readFile: () => Promise.reject(new Error('no files')), ask: undefined };

test('secrets are found once each, wherever they stand', async () => {
  const cluster = await load(
    plus(
      'ssh: {sudoPassword: "env:SUDO", bastion: {address: 1.2.3.4, password: "env:GATE"}}\nregistry: {auths: {r.example.com: {username: me, password: "file:/pw"}}}\nartifacts: {sources: [{type: mirror, url: "https://m.example.com", password: prompt}]}\n',
    ),
  );
  expect(listSecrets(cluster).map((one) => `${one.at} ${one}`)).toEqual([
    'spec.registry.auths["r.example.com"].password file:/pw',
    'spec.artifacts.sources[0].password prompt',
    'spec.ssh.sudoPassword env:SUDO',
    'spec.ssh.bastion[0].password env:GATE',
  ]);
});

test('variables, files, prompts and text', async () => {
  const cluster = await load(
    changed(
      ['172.16.0.2}', '172.16.0.2, password: "env:PW", sudoPassword: "file:~/sudo"}'],
      ['172.16.0.3}', '172.16.0.3, password: prompt, sudoPassword: "prompt:sudo of all"}'],
      ['172.16.0.4}', '172.16.0.4, password: text, sudoPassword: "prompt:sudo of all"}'],
    ),
  );
  const ask = vi.fn((question: string) => Promise.resolve(`answer to ${question}`));
  const readFile = vi.fn((path: string) => Promise.resolve(`content of ${path}\n`));
  const { values, errors } = await resolveSecrets(cluster, { env: { PW: 'pw', HOME: '/home/me' }, readFile, ask });
  expect(errors).toEqual([]);
  expect(Object.fromEntries(values)).toEqual({
    'spec.hosts[0].password': 'pw',
    'spec.hosts[0].sudoPassword': 'content of /home/me/sudo',
    'spec.hosts[1].password': 'answer to spec.hosts[1].password',
    'spec.hosts[1].sudoPassword': 'answer to sudo of all',
    'spec.hosts[2].password': 'text',
    'spec.hosts[2].sudoPassword': 'answer to sudo of all',
  });
  expect(ask).toHaveBeenCalledTimes(2);
  expect(cluster.spec.hosts[0]?.ssh.password?.at).toBe('spec.hosts[0].password');
});

test('the same variable is reported once', async () => {
  const { errors, values } = await resolveSecrets(await load(secret('env:PW', 'env:PW')), nothing);
  expect(errors.map((one) => one.code)).toEqual(['KX2801']);
  expect(values.size).toBe(0);
});

test.each([
  ['env:PW', { env: { PW: '' } }, 'KX2803'],
  ['file:/pw', {}, 'KX2802'],
  ['file:/pw', { readFile: () => Promise.resolve('\n') }, 'KX2803'],
  ['prompt', {}, 'KX2804'],
  ['prompt', { ask: () => Promise.resolve('') }, 'KX2803'],
  ['prompt', { ask: () => Promise.reject(new Error('closed')) }, 'KX2804'],
] as const)('%s with %o gives %s', async (reference, sources, code) => {
  const { errors } = await resolveSecrets(await load(secret(reference, 'env:OTHER')), {
    ...nothing,
    ...sources,
    env: { OTHER: 'x', ...('env' in sources ? sources.env : {}) },
  });
  expect(errors.map((one) => one.code)).toEqual([code]);
  expect(errors[0]?.message).toContain('spec.hosts[0].password');
});
