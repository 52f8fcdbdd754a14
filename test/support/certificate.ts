import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key and a certificate that no authority has signed, for a server on the loopback. */
export interface SelfSigned {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** Where the certificate is: what a `caFile` names. */
  readonly certFile: string;
}

/** Makes a self-signed certificate below a directory; undefined where there is no openssl. */
export function selfSigned(base: string): SelfSigned | undefined {
  const dir = mkdtempSync(join(base, 'certificate-'));
  const [keyFile, certFile] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=x', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = spawnSync('openssl', ['req', ...kind, ...names, '-keyout', keyFile, '-out', certFile]);
  if (made.status !== 0) return undefined;
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), certFile };
}
