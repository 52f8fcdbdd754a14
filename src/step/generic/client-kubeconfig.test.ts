import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Bench, check, scratch } from '../../../test/contract/bench.ts';
import { put } from '../../../test/contract/case.ts';
import { ensure } from '../../../test/rig/certificate-run.ts';
import { type Certified, certificate } from './certificate.ts';
import { type Authority, certificateAuthority } from './certificate-authority.ts';
import { clientKubeconfig } from './client-kubeconfig.ts';
import type { Kept } from './lib/kept.ts';

const bench = new Bench(scratch('kubeconfig'));
const [shell] = bench.shells;
if (shell === undefined) throw new Error('no shell');
const host = bench.host(shell);
const step = clientKubeconfig.definition;

test('a kubeconfig has the certificate and key of its user, and follows them', async () => {
  const directory = bench.dir('kept');
  const issuer = await ensure<Authority>(host, certificateAuthority.definition, { directory, commonName: 'ca' });
  const admin = (organizations: readonly string[]) =>
    ensure<Certified>(host, certificate.definition, {
      directory,
      name: 'admin',
      issuer,
      subject: { commonName: 'kubernetes-admin', organizations },
      usages: ['client'],
    });
  const path = join(directory, 'admin.conf');
  const base = { path, cluster: 'lab', server: 'https://[2001:db8::1]:6443', user: 'kubernetes-admin' };
  expect(await check(host, step, { ...base, certificate: '‹admin›' })).toMatchObject({
    verdict: 'needed',
    diff: [{ what: path, to: 'kubernetes-admin at https://[2001:db8::1]:6443' }],
  });

  const first = await admin(['system:masters']);
  const kept = await ensure<Kept>(host, step, { ...base, certificate: first });
  const { users, clusters } = parse(readFileSync(path, 'utf8'));
  const decoded = (text: string) => Buffer.from(text, 'base64').toString();
  expect(decoded(users[0].user['client-key-data'])).toBe(readFileSync(first.key.path, 'utf8'));
  expect(decoded(users[0].user['client-certificate-data'])).toBe(readFileSync(first.certificate.path, 'utf8'));
  expect(decoded(clusters[0].cluster['certificate-authority-data'])).toBe(
    readFileSync(issuer.certificate.path, 'utf8'),
  );
  expect(clusters[0].cluster.server).toBe(base.server);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  const second = await admin(['others']);
  expect((await check(host, step, { ...base, certificate: second })).verdict).toBe('needed');
  expect(await ensure<Kept>(host, step, { ...base, certificate: second })).not.toEqual(kept);
  // What another step gave and somebody has changed since is not put into it.
  put(second.certificate.path, readFileSync(issuer.certificate.path), 0o600);
  await expect(check(host, step, { ...base, certificate: second })).rejects.toMatchObject({ code: 'KX5109' });
});
