import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { BitString, fromBER, Integer, OctetString, Sequence, Set as SetOf, Utf8String } from 'asn1js';
import {
  AltName,
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
  PublicKeyInfo,
  RelativeDistinguishedNames,
  Time,
} from 'pkijs';
import { parseIp } from '../model/cluster/ip.ts';
import { type CertificateSpec, type Subject, USAGE_OIDS } from './subject.ts';
import type { Period } from './validity.ts';

/** A CA that signs: its own certificate and key, in PEM. */
export interface Signer {
  readonly certificate: string;
  readonly key: string;
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const SUBJECT_KEY_ID = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const ALTERNATIVE_NAMES = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_ID = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';

/** Bits of the key usage, from the left: digitalSignature is the first. */
const USE = { sign: 0x80, encipher: 0x20, signCertificates: 0x04, signLists: 0x02 } as const;

/** A CA that signs itself, in PEM. */
export async function selfSigned(subject: Subject, keyPem: string, period: Period): Promise<string> {
  const key = createPrivateKey(keyPem);
  const certificate = unsigned(key, period);
  certificate.subject = nameOf(subject);
  certificate.issuer = certificate.subject;
  const id = keyId(certificate.subjectPublicKeyInfo);
  certificate.extensions = [
    extension(BASIC_CONSTRAINTS, true, new BasicConstraints({ cA: true }).toSchema()),
    keyUsage(USE.sign | USE.signCertificates | USE.signLists),
    extension(SUBJECT_KEY_ID, false, new OctetString({ valueHex: id })),
    extension(AUTHORITY_KEY_ID, false, authorityKeyId(id)),
  ];
  return await signed(certificate, key);
}

/** A certificate signed by a CA, in PEM. */
export async function signedBy(signer: Signer, spec: CertificateSpec, keyPem: string, period: Period): Promise<string> {
  const key = createPrivateKey(keyPem);
  const issuer = Certificate.fromBER(bytesOf(new X509Certificate(signer.certificate).raw));
  const certificate = unsigned(key, period);
  certificate.subject = nameOf(spec.subject);
  // As the CA has it, byte by byte: however its own maker encoded it.
  certificate.issuer = issuer.subject;
  const isRsa = key.asymmetricKeyType === 'rsa';
  const names = alternativeNames(spec);
  certificate.extensions = [
    extension(BASIC_CONSTRAINTS, true, new BasicConstraints().toSchema()),
    keyUsage(isRsa ? USE.sign | USE.encipher : USE.sign),
    extension(
      EXTENDED_KEY_USAGE,
      false,
      new ExtKeyUsage({ keyPurposes: spec.usages.map((usage) => USAGE_OIDS[usage]) }).toSchema(),
    ),
    extension(SUBJECT_KEY_ID, false, new OctetString({ valueHex: keyId(certificate.subjectPublicKeyInfo) })),
    extension(AUTHORITY_KEY_ID, false, authorityKeyId(keyIdOf(issuer))),
    ...(names.length === 0
      ? []
      : [extension(ALTERNATIVE_NAMES, false, new AltName({ altNames: [...names] }).toSchema())]),
  ];
  return await signed(certificate, createPrivateKey(signer.key));
}

function unsigned(key: KeyObject, { notBefore, notAfter }: Period): Certificate {
  const certificate = new Certificate();
  certificate.version = 2;
  certificate.serialNumber = new Integer({ valueHex: randomSerial() });
  certificate.notBefore = timeOf(notBefore);
  certificate.notAfter = timeOf(notAfter);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  certificate.subjectPublicKeyInfo = PublicKeyInfo.fromBER(bytesOf(spki));
  return certificate;
}

/** How a CA signs, by the name that its key has in OpenSSL: a longer key deserves a longer digest. */
const CURVES = new Map([
  ['prime256v1', { namedCurve: 'P-256', hash: 'SHA-256' }],
  ['secp384r1', { namedCurve: 'P-384', hash: 'SHA-384' }],
  ['secp521r1', { namedCurve: 'P-521', hash: 'SHA-512' }],
]);

async function signed(certificate: Certificate, key: KeyObject): Promise<string> {
  const curve = CURVES.get(key.asymmetricKeyDetails?.namedCurve ?? '');
  const hash = curve?.hash ?? 'SHA-256';
  const algorithm = curve ? { name: 'ECDSA', namedCurve: curve.namedCurve } : { name: 'RSASSA-PKCS1-v1_5', hash };
  await certificate.sign(key.toCryptoKey(algorithm, false, ['sign']), hash);
  const text = Buffer.from(certificate.toSchema().toBER(false)).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

/** 128 random bits, as a positive number. */
function randomSerial(): Uint8Array<ArrayBuffer> {
  let bytes = randomBytes(16);
  while (bytes[0] === 0) bytes = randomBytes(16);
  return bytesOf((bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);
}

/** X.509 writes years from 2050 on in four digits, and those before in two. */
function timeOf(value: Date): Time {
  return new Time({ type: value.getUTCFullYear() < 2050 ? 0 : 1, value });
}

/** One attribute in each part of the name: the library by itself would put all of them into one. */
function nameOf({ commonName, organizations = [] }: Subject): RelativeDistinguishedNames {
  const attributes = [
    ...organizations.map((value) => ({ type: ORGANIZATION, value })),
    { type: COMMON_NAME, value: commonName },
  ];
  const parts = attributes.map(({ type, value }) => {
    const attribute = new AttributeTypeAndValue({ type, value: new Utf8String({ value }) });
    return new SetOf({ value: [attribute.toSchema()] });
  });
  const schema = fromBER(new Sequence({ value: parts }).toBER(false)).result;
  return new RelativeDistinguishedNames({ schema });
}

function alternativeNames({ names = [], addresses = [] }: CertificateSpec): readonly GeneralName[] {
  return [
    ...names.map((value) => new GeneralName({ type: 2, value })),
    ...addresses.map((text) => new GeneralName({ type: 7, value: new OctetString({ valueHex: addressBytes(text) }) })),
  ];
}

function addressBytes(text: string): Uint8Array<ArrayBuffer> {
  const ip = parseIp(text);
  if (ip === undefined) throw new TypeError(`${JSON.stringify(text)} is no IP address`);
  return bytesOf(Buffer.from(ip.value.toString(16).padStart(ip.family === 4 ? 8 : 32, '0'), 'hex'));
}

function extension(id: string, critical: boolean, value: { toBER(sizeOnly?: boolean): ArrayBuffer }): Extension {
  return new Extension({ extnID: id, critical, extnValue: value.toBER(false) });
}

/** Bits at the end that are not set are not written. */
function keyUsage(bits: number): Extension {
  const unusedBits = 31 - Math.clz32(bits & -bits);
  return extension(KEY_USAGE, true, new BitString({ valueHex: Uint8Array.of(bits), unusedBits }));
}

function authorityKeyId(id: Uint8Array<ArrayBuffer>) {
  return new AuthorityKeyIdentifier({ keyIdentifier: new OctetString({ valueHex: id }) }).toSchema();
}

/** The identifier that a CA gave its key, or the usual one where it has none. */
function keyIdOf(certificate: Certificate): Uint8Array<ArrayBuffer> {
  const own = certificate.extensions?.find((one) => one.extnID === SUBJECT_KEY_ID)?.parsedValue as unknown;
  if (own instanceof OctetString) return bytesOf(own.valueBlock.valueHexView);
  return keyId(certificate.subjectPublicKeyInfo);
}

function keyId(info: PublicKeyInfo): Uint8Array<ArrayBuffer> {
  return bytesOf(createHash('sha1').update(info.subjectPublicKey.valueBlock.valueHexView).digest());
}

function bytesOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
