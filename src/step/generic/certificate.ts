import { join } from 'node:path';
import { parseIp } from '../../model/cluster/ip.ts';
import { isDomain } from '../../model/cluster/names.ts';
import { kubexmError } from '../../model/errors/index.ts';
import type { Host, Output } from '../../model/host.ts';
import type { KeyAlgorithm } from '../../model/key-algorithm.ts';
import type { Script } from '../../model/script.ts';
import {
  type CertificateSpec,
  type Chain,
  certificateFaults,
  certificatesIn,
  makeCertificate,
  pemOf,
  servedChain,
  type WantedCertificate,
} from '../../pki/index.ts';
import type { Diff } from '../../plan/diff.ts';
import { defineStep, needed, type StepIo, satisfied, type Verdict } from '../../plan/step.ts';
import type { Authority } from './certificate-authority.ts';
import type { Kept } from './lib/kept.ts';
import { readKept, writeKept } from './lib/kept-file.ts';
import {
  chainOf,
  foundAgain,
  isPrivate,
  lookAtFiles,
  onlyLocal,
  parseFiles,
  replaceableKeyAt,
  textOf,
} from './lib/kept-pem.ts';
import { modeText } from './lib/ownership.ts';
import { absolute, invalid } from './lib/path.ts';
import { metaOf, type SeenMeta } from './lib/seen-file.ts';
import { sha256 } from './lib/write.ts';

/** A certificate in the work directory, with a key of its own. */
export interface Certificate extends CertificateSpec {
  /** `certs/etcd` of the work directory: gets `NAME.crt` and `NAME.key`. */
  readonly directory: string;
  readonly name: string;
  /** What the step of the CA gives. */
  readonly issuer: Authority;
  /** Default: ecdsa-p256. */
  readonly keyAlgorithm?: KeyAlgorithm;
  /** Default: 365. It ends with its CA at the latest. */
  readonly validityDays?: number;
  /** It is made again when fewer days are left. Default: 30. */
  readonly renewBeforeDays?: number;
}

/** A certificate by its files. A type, not an interface, so that it is Json too. */
export type Certified = {
  /** The certificate, then the intermediate CAs between it and the root: what a server sends. */
  readonly certificate: Kept;
  readonly key: Kept;
  /** The CA that signed it, alone. */
  readonly ca: Kept;
};

/** Makes a certificate; makes it again, with a new key, when it is not as wanted any more or ends soon. */
export const certificate = defineStep<Certificate>()({
  kind: 'certificate',
  description:
    'A certificate in the work directory, signed by a CA there, with a key of its own; renewed in time. Gives the paths and digests of its files.',
  title: (want) => `certificate ${want.name}`,
  probe: look,
  judge,
  apply: make,
  saves: (want) => Object.values(pathsOf(want)),
  timeoutSeconds: 120,
  estimateSeconds: 1,
  example: {
    directory: '/tmp/kubexm/certs/etcd',
    name: 'member-node1',
    issuer: {
      certificate: { path: '/tmp/kubexm/certs/etcd/ca.crt', sha256: '0'.repeat(64) },
      key: { path: '/tmp/kubexm/certs/etcd/ca.key', sha256: '0'.repeat(64) },
      chain: { path: '/tmp/kubexm/certs/etcd/ca.crt', sha256: '0'.repeat(64) },
    },
    subject: { commonName: 'node1' },
    names: ['node1', 'localhost'],
    addresses: ['192.0.2.1', '127.0.0.1', '::1'],
    usages: ['server', 'client'],
  },
});

function pathsOf({ directory, name }: Certificate) {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || name === 'ca')
    throw invalid(`${JSON.stringify(name)} cannot be the name of a certificate`);
  return { certificate: join(absolute(directory), `${name}.crt`), key: join(absolute(directory), `${name}.key`) };
}

/** The CA, unless it is not made yet: a dry run has only its name. */
function issuerOf({ issuer }: Certificate): Authority | undefined {
  return typeof issuer === 'object' ? issuer : undefined;
}

function look(want: Certificate): Script {
  const { certificate: own, key } = pathsOf(want);
  const issuer = issuerOf(want);
  return lookAtFiles([
    { path: own },
    { path: key, secret: true },
    ...(issuer === undefined ? [] : [{ path: issuer.certificate.path }, { path: issuer.chain.path }]),
  ]);
}

function judge(output: Output, want: Certificate): Verdict<SeenMeta, Certified> {
  const paths = pathsOf(want);
  const wanted = checked(want);
  const [file, keyFile, issuerFile, chainFile] = parseFiles(output);
  const seen = metaOf(file);
  if (file.type === 'absent') return needed(seen, [{ what: paths.certificate, to: want.subject.commonName }]);
  const own = chainOf(file)?.[0];
  const key = replaceableKeyAt(paths.key);
  if (own === undefined || key === undefined)
    return needed(seen, [{ what: own ? paths.key : paths.certificate, from: 'missing or damaged', to: 'new' }]);
  const ca = issuerOf(want);
  const issuer = ca && readIssuer(ca, chainOf(issuerFile), chainOf(chainFile));
  const diff: Diff = [
    ...certificateFaults(own, key.key, wanted, new Date(), issuer?.own),
    ...(isPrivate(keyFile) ? [] : [{ what: 'mode of the key', from: modeText(keyFile.mode & 0o7777), to: '0600' }]),
    ...(issuer === undefined || textOf(file) === pemOf([own, ...issuer.served]) ? [] : [{ what: 'chain' }]),
  ];
  if (diff.length > 0 || ca === undefined) return needed(seen, diff);
  return satisfied<Certified>({
    certificate: { path: paths.certificate, sha256: sha256(textOf(file)) },
    key: { path: paths.key, sha256: key.sha256 },
    ca: ca.certificate,
  });
}

/** The CA's own certificate, and those that are sent behind one that it signed. */
function readIssuer({ certificate: { path } }: Authority, own: Chain | undefined, chain: Chain | undefined) {
  if (own === undefined) throw kubexmError('KX5101', { path, what: 'certificate' });
  return { own: own[0], served: servedChain(chain ?? own) };
}

async function make(host: Host, want: Certificate, io: StepIo): Promise<Certified | undefined> {
  onlyLocal(host, 'certificate');
  const paths = pathsOf(want);
  const wanted = checked(want);
  const found = await foundAgain(host, { look, judge }, want, io);
  if (found !== undefined) return found;
  const { issuer } = want;
  const signer = { certificate: readKept(issuer.certificate), key: readKept(issuer.key) };
  const { served } = readIssuer(issuer, certificatesIn(signer.certificate), certificatesIn(readKept(issuer.chain)));
  const made = await makeCertificate(signer, wanted, new Date());
  io.signal.throwIfAborted();
  // A key and a certificate that do not belong together are made again: a kill between the two costs nothing.
  await writeKept(paths.key, made.key);
  await writeKept(paths.certificate, made.certificate + pemOf(served));
  return undefined;
}

/** The want with its defaults; throws where no certificate could fulfil it. */
function checked(want: Certificate): WantedCertificate {
  const { subject, usages, names = [], addresses = [] } = want;
  const { keyAlgorithm = 'ecdsa-p256', validityDays = 365, renewBeforeDays = 30 } = want;
  const texts = [subject.commonName, ...(subject.organizations ?? [])];
  const wrong =
    texts.find((text) => text === '' || /\p{Cc}/u.test(text)) ??
    names.find((name) => !isDomain(name.replace(/^\*\./, ''))) ??
    addresses.find((address) => parseIp(address) === undefined);
  if (wrong !== undefined) throw invalid(`${JSON.stringify(wrong)} cannot be in the certificate ${want.name}`);
  if (usages.length === 0) throw invalid(`the certificate ${want.name} is for no use`);
  if (usages.includes('server') && names.length + addresses.length === 0)
    throw invalid(`the certificate ${want.name} is for a server without names and addresses`);
  if (renewBeforeDays >= validityDays)
    throw invalid(
      `the certificate ${want.name} would be renewed before it is made: ${renewBeforeDays} of its ${validityDays} days before its end`,
    );
  return { subject, usages, names, addresses, keyAlgorithm, validityDays, renewBeforeDays };
}
