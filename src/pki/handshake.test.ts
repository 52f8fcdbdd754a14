import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { KEY_ALGORITHMS } from '../model/key-algorithm.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { makeAuthority, makeCertificate } from './make.ts';

const now = new Date();
const server = { subject: { commonName: 'kube-apiserver' }, names: ['lb.kubexm.local'], addresses: ['127.0.0.1'] };
const admin = { subject: { commonName: 'kubernetes-admin', organizations: ['system:masters'] } };

/** What a server and a client with these say to each other: who the client is, or why not. */
async function shake(
  serving: { readonly cert: string; readonly key: string; readonly ca: string },
  asking: { readonly cert?: string; readonly key?: string; readonly ca: string; readonly servername?: string },
): Promise<string> {
  const listener = createServer({ ...serving, requestCert: true, rejectUnauthorized: true }, (socket) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    socket.end(`${String(subject.O)}/${String(subject.CN)}`);
  });
  listener.on('tlsClientError', () => undefined);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const socket = connect({ port: (listener.address() as AddressInfo).port, host: '127.0.0.1', ...asking });
  try {
    let text = '';
    socket.on('data', (data: Buffer) => {
      text += data.toString();
    });
    await once(socket, 'end');
    return text;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  } finally {
    socket.destroy();
    listener.close();
  }
}

test.each(KEY_ALGORITHMS)('client and server prove themselves to each other with %s', async (keyAlgorithm) => {
  const settings = { keyAlgorithm, validityDays: 365 };
  const ca = await makeAuthority({ subject: { commonName: 'kubernetes-ca' }, ...settings }, now);
  const served = await makeCertificate(ca, { ...server, usages: ['server'], ...settings }, now);
  const client = await makeCertificate(ca, { ...admin, usages: ['client'], ...settings }, now);
  const serving = { cert: served.certificate, key: served.key, ca: ca.certificate };

  // As a client reads it from its kubeconfig.
  const text = kubeconfigText({
    cluster: 'lab',
    server: 'https://127.0.0.1:6443',
    authorities: ca.certificate,
    user: 'kubernetes-admin',
    ...client,
  });
  const { clusters, users, contexts, ...rest } = parse(text);
  const decoded = (value: string) => Buffer.from(value, 'base64').toString();
  const asking = {
    ca: decoded(clusters[0].cluster['certificate-authority-data']),
    cert: decoded(users[0].user['client-certificate-data']),
    key: decoded(users[0].user['client-key-data']),
  };
  expect(rest['current-context']).toBe(contexts[0].name);
  expect(contexts[0].context).toEqual({ cluster: 'lab', user: 'kubernetes-admin' });

  expect(await shake(serving, asking)).toBe('system:masters/kubernetes-admin');
  expect(await shake(serving, { ...asking, servername: 'lb.kubexm.local' })).toBe('system:masters/kubernetes-admin');
  expect(await shake(serving, { ca: asking.ca })).toMatch(/CERTIFICATE_REQUIRED|ECONNRESET/);
  // A server's certificate is no client's, and the other way round.
  expect(await shake(serving, { ...asking, cert: serving.cert, key: serving.key })).not.toMatch(/admin|apiserver/);
  expect(await shake({ ...serving, cert: client.certificate, key: client.key }, asking)).not.toMatch(/admin/);
  // Another CA of the same name is another CA.
  const other = await makeAuthority({ subject: { commonName: 'kubernetes-ca' }, ...settings }, now);
  expect(await shake(serving, { ...asking, ca: other.certificate })).not.toMatch(/admin/);
  const forged = await makeCertificate(other, { ...admin, usages: ['client'], ...settings }, now);
  expect(await shake(serving, { ...asking, cert: forged.certificate, key: forged.key })).not.toMatch(/admin/);
});
