import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs OpenSSL, which judges what kubexm makes. Throws with what it says. */
export function openssl(...args: readonly string[]): string {
  return execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
}

/** A root and an intermediate CA below it, in PEM. */
export interface ForeignAuthority {
  readonly root: string;
  readonly certificate: string;
  readonly key: string;
}

/** CAs by OpenSSL, with what kubexm itself never makes: other curves, names of several parts, a limit on the chain. */
export function foreignAuthority(...newkey: readonly string[]): ForeignAuthority {
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-foreign-'));
  const at = (name: string) => join(dir, name);
  try {
    const root = ['-keyout', at('root.key'), '-out', at('root.crt'), '-days', '100', '-nodes'];
    const usage = ['-addext', 'keyUsage=critical,keyCertSign'];
    openssl('req', '-x509', '-newkey', 'rsa:2048', ...root, ...usage, '-subj', '/C=DE/O=Example, Inc./CN=Root');
    const kind = newkey.length > 0 ? newkey : ['-newkey', 'rsa:2048'];
    const request = ['-keyout', at('ca.key'), '-out', at('ca.csr'), '-nodes'];
    openssl('req', '-new', ...kind, ...request, '-subj', '/C=DE/O=Example+OU=Cluster/CN=Intermediate');
    writeFileSync(
      at('extensions'),
      `basicConstraints=critical,CA:TRUE,pathlen:0
keyUsage=critical,keyCertSign
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
`,
    );
    const sign = ['-CA', at('root.crt'), '-CAkey', at('root.key'), '-CAcreateserial', '-extfile', at('extensions')];
    openssl('x509', '-req', '-in', at('ca.csr'), ...sign, '-days', '90', '-out', at('ca.crt'));
    const read = (name: string) => readFileSync(at(name), 'utf8');
    return { root: read('root.crt'), certificate: read('ca.crt'), key: read('ca.key') };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
