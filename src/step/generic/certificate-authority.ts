import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { Host, Output } from '../../model/host.ts';
import type { KeyAlgorithm } from '../../model/key-algorithm.ts';
import type { Script } from '../../model/script.ts';
import { type Chain, canSign, certificatesIn, describeKey, makeAuthority, pemOf } from '../../pki/index.ts';
import { defineStep, needed, type StepIo, satisfied, type Verdict } from '../../plan/step.ts';
import { type AuthorityFiles, broughtAuthority, type ReadAuthority, refuseUnfit } from './lib/authority.ts';
import type { Kept } from './lib/kept.ts';
import { writeKept } from './lib/kept-file.ts';
import {
  chainOf,
  foundAgain,
  isPrivate,
  keyAt,
  lookAtFiles,
  onlyLocal,
  parseFiles,
  replaceableKeyAt,
  type SeenKey,
  textOf,
} from './lib/kept-pem.ts';
import { absolute } from './lib/path.ts';
import { metaOf, type SeenMeta } from './lib/seen-file.ts';
import { sha256 } from './lib/write.ts';

/** A CA in the work directory. */
export interface CertificateAuthority {
  /** `certs/etcd` of the work directory: gets `ca.crt` and `ca.key`. */
  readonly directory: string;
  readonly commonName: string;
  /** Of a CA that is made. Default: ecdsa-p256. */
  readonly keyAlgorithm?: KeyAlgorithm;
  /** Default: 3650. */
  readonly validityDays?: number;
  /** A CA that the user has. May be an intermediate one. */
  readonly from?: AuthorityFiles;
}

/** A CA by its files. A type, not an interface, so that it is Json too. */
export type Authority = {
  /** The CA alone: what servers trust to check clients, so that no other CA below the same root gets in. */
  readonly certificate: Kept;
  readonly key: Kept;
  /** The CA and those above it, as far as they are known. The same file where there are none. */
  readonly chain: Kept;
};

/** Makes a CA, or takes the user's. One that exists is never replaced: it is used, or refused with the reason. */
export const certificateAuthority = defineStep<CertificateAuthority>()({
  kind: 'certificateAuthority',
  description:
    'A CA in the work directory, made once or brought by the user; gives the paths and digests of its files. It is never replaced.',
  title: (want) => `CA ${want.commonName}`,
  probe: look,
  judge,
  apply: make,
  saves: (want) => Object.values(pathsOf(want)),
  timeoutSeconds: 120,
  estimateSeconds: 1,
  example: { directory: '/tmp/kubexm/certs/etcd', commonName: 'etcd-ca' },
});

function pathsOf(want: CertificateAuthority) {
  const directory = absolute(want.directory);
  return {
    certificate: join(directory, 'ca.crt'),
    key: join(directory, 'ca.key'),
    chain: join(directory, 'ca-chain.crt'),
  };
}

function look(want: CertificateAuthority): Script {
  const { certificate, key, chain } = pathsOf(want);
  return lookAtFiles([
    { path: certificate },
    { path: key, secret: true },
    { path: chain },
    ...(want.from === undefined ? [] : [{ path: absolute(want.from.caFile) }]),
  ]);
}

function judge(output: Output, want: CertificateAuthority): Verdict<SeenMeta, Authority> {
  const paths = pathsOf(want);
  const [certificate, keyFile, chainFile, caFile] = parseFiles(output);
  const brought = want.from && broughtAuthority(want.from, chainOf(caFile));
  const seen = metaOf(certificate);
  if (certificate.type === 'absent') {
    if (!want.from) leftKey(paths.key);
    return needed(seen, [{ what: paths.certificate, to: want.from ? copyOf(want.from.caFile) : want.commonName }]);
  }
  const own = ownChain(want, chainOf(certificate), chainOf(chainFile), brought);
  // The user has the original of a copy.
  const key = want.from ? replaceableKeyAt(paths.key) : keyAt(paths.key);
  if (key === undefined) {
    if (want.from) return needed(seen, [{ what: paths.key, to: copyOf(want.from.keyFile) }]);
    throw kubexmError('KX5102', { key: paths.key, path: paths.certificate });
  }
  refuseUnfit({ chain: own, key }, { caFile: paths.certificate, keyFile: paths.key });
  if (!isPrivate(keyFile)) return needed(seen, [{ what: `${paths.key}: mode`, to: '0600' }]);
  if (want.from && own.length > 1 && pemOf(own) !== textOf(chainFile))
    return needed(seen, [{ what: paths.chain, to: copyOf(want.from.caFile) }]);
  const alone = { path: paths.certificate, sha256: sha256(textOf(certificate)) };
  return satisfied<Authority>({
    certificate: alone,
    key: { path: paths.key, sha256: key.sha256 },
    chain: own.length === 1 ? alone : { path: paths.chain, sha256: sha256(textOf(chainFile)) },
  });
}

function copyOf(path: string): string {
  return `copy of ${path}`;
}

/** The CA that is there and those above it. Another one than the user's is no CA of this cluster file. */
function ownChain(
  want: CertificateAuthority,
  certificate: Chain | undefined,
  kept: Chain | undefined,
  brought: ReadAuthority | undefined,
): Chain {
  const path = pathsOf(want).certificate;
  if (certificate === undefined) throw kubexmError('KX5101', { path, what: 'certificate' });
  const [own] = certificate;
  const chain = brought?.chain ?? kept ?? [own];
  if (chain[0].fingerprint256 === own.fingerprint256) return chain;
  if (brought) throw kubexmError('KX5107', { path: want.from?.caFile ?? '', kept: path });
  return [own];
}

/**
 * The key that a killed run left, or whose certificate was removed: it is used, whatever its algorithm. Throws where it cannot sign
 * for Kubernetes: nobody but the user can tell that it is not needed.
 */
function leftKey(path: string): SeenKey | undefined {
  const left = keyAt(path);
  if (left && !canSign(left.key)) throw kubexmError('KX5108', { key: path, kind: describeKey(left.key) });
  return left;
}

async function make(host: Host, want: CertificateAuthority, io: StepIo): Promise<Authority | undefined> {
  onlyLocal(host, 'certificateAuthority');
  const paths = pathsOf(want);
  const found = await foundAgain(host, { look, judge }, want, io);
  if (found !== undefined) return found;
  const { key, chain } = await parts(want);
  io.signal.throwIfAborted();
  // The certificate is written last: where it exists, the rest exists too.
  await writeKept(paths.key, key);
  if (chain.length > 1) await writeKept(paths.chain, pemOf(chain));
  await writeKept(paths.certificate, pemOf([chain[0]]));
  return undefined;
}

/** What is to be written: what the user brought, what is there already, or what is made. */
async function parts(want: CertificateAuthority): Promise<{ readonly key: string; readonly chain: Chain }> {
  const { keyAlgorithm = 'ecdsa-p256', validityDays = 3650, commonName, from } = want;
  if (from !== undefined) {
    const { chain, key } = broughtAuthority(from, certificatesIn(await readFile(from.caFile, 'utf8')));
    return { chain, key: key.key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  }
  const paths = pathsOf(want);
  const there = certificatesIn(await readFile(paths.certificate, 'utf8').catch(() => ''));
  if (there) {
    const own = keyAt(paths.key);
    if (own) return { chain: there, key: own.text };
  }
  const left = leftKey(paths.key);
  const made = await makeAuthority({ subject: { commonName }, keyAlgorithm, validityDays }, new Date(), left?.text);
  const chain = certificatesIn(made.certificate);
  if (chain === undefined) throw new TypeError('the CA that was made cannot be read');
  return { chain, key: made.key };
}
