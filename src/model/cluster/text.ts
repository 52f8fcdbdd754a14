import { z } from 'zod';
import type { ErrorParams } from '../errors/index.ts';
import { isSystemDirectory, takenPlace } from './data-directory.ts';
import { type ConfigCode, line, refuse, textWhere } from './field.ts';
import { isHostKey } from './host-key.ts';
import {
  addressKind,
  type DualStack,
  dualStack,
  type Family,
  formatCidr,
  formatIp,
  type Ip,
  parseCidr,
  parseIp,
} from './ip.ts';
import {
  isDnsLabel,
  isDomain,
  isLocalName,
  isNodeName,
  isPackageName,
  isReadAsAddress,
  isRegistryHost,
  isUserName,
  isWildcard,
  suggestNodeName,
} from './names.ts';
import { expandRange, RANGE_LIMIT } from './range.ts';
import { ROLE_WORDS } from './role-words.ts';

/** Kubernetes minors that kubexm installs. */
export const SUPPORTED_KUBERNETES = { first: 30, last: 37 } as const;

type Payload = { issues: unknown[]; value: unknown };

/** The name of a host. */
export const nodeName = () =>
  line().check((payload) => {
    const { value } = payload;
    if (value === 'local' || value === 'localhost') refuse(payload, 'KX2310', { value });
    else if (isSelectorWord(value) || isLocalName(value) || isReadAsAddress(value))
      refuse(payload, 'KX2336', { value });
    else if (value !== '' && !isNodeName(value)) {
      refuse(payload, 'KX2309', { value, suggestion: suggestNodeName(value) });
    }
  });

/** Whether `--nodes` reads a word as more than one host. */
function isSelectorWord(word: string): boolean {
  return word === 'all' || ROLE_WORDS.has(word);
}

/** The name of somebody who logs in. */
export const userName = () => textWhere(isUserName, 'KX2337');

/** A name or an address in a certificate. */
export const certificateName = () =>
  line().transform((text, context) => {
    const lower = text.toLowerCase();
    return isWildcard(lower) ? lower : readHostAddress(text, context);
  });

/** A DNS-1123 label. */
export const label = () => textWhere(isDnsLabel, 'KX2311');

/** A domain name in lower case. */
export const domain = () => textWhere(isDomain, 'KX2312');

/** A host key of SSH, as a fingerprint or as the key itself. */
export const hostKey = () => textWhere(isHostKey, 'KX2335');

/** A registry as image references name it. */
export const registryHost = () => textWhere(isRegistryHost, 'KX2330');

/** A package of the operating system. */
export const packageName = () => textWhere(isPackageName, 'KX2331');

/** A component's version, as its project writes it. */
export const version = () => textWhere((text) => /^v?\d+(\.\d+){1,3}([-+~.][0-9A-Za-z.+-]+)?$/.test(text), 'KX2319');

/** A path on a cluster's machine. */
export const absolutePath = () => textWhere(isAbsolutePath, 'KX2320');

/** A directory for the data of a program, on a cluster's machine. */
export const dataDirectory = () =>
  absolutePath().check((payload) => {
    const { value } = payload;
    if (isAbsolutePath(value)) refuseDirectory(payload, value);
  });

/** An http or https address. */
export const url = () => textWhere(isHttpUrl, 'KX2321');

/** A command-line argument. */
export const argument = () => textWhere((text) => /^--[A-Za-z][\w.-]*(=.*)?$/.test(text), 'KX2329');

/** An argument of the kubelet. Its root directory is one for data. */
export const kubeletArgument = () =>
  argument().check((payload) => {
    const match = /^--root-dir(?:=(.*))?$/.exec(payload.value);
    if (match === null) return;
    const value = match[1] ?? '';
    if (!isAbsolutePath(value)) refuse(payload, 'KX2320', { value });
    else refuseDirectory(payload, value);
  });

function refuseDirectory(payload: Payload, value: string): void {
  const place = takenPlace(value);
  if (isSystemDirectory(value)) refuse(payload, 'KX2334', { value });
  else if (place !== undefined)
    refuse(payload, place.volatile ? 'KX2338' : 'KX2339', { value, place: place.directory });
}

/** A digest as sha256sum prints it. */
export const sha256 = () => textWhere((text) => /^[0-9a-f]{64}$/i.test(text), 'KX2332');

/** An address or a name under which a machine is reached. */
export const hostAddress = () => line().transform((text, context) => readHostAddress(text, context));

/** A server's address or name, optionally with a port after a colon. */
export const server = () => textWhere((text) => isServer(text), 'KX2305');

/** One IP address. */
export const ipAddress = () =>
  line().transform((text, context) => {
    const ip = readIp(text, context);
    return ip === undefined ? text : formatIp(ip);
  });

/** One address of each family at most, separated by a comma. Empty text is no address. */
export const addresses = () =>
  z.string().transform((text, context): DualStack | undefined => {
    if (text.trim() === '') return undefined;
    const found = text.split(',').map((one) => readIp(one.trim(), context));
    return oneOfEach(
      found.map((ip) => ip && { family: ip.family, text: formatIp(ip) }),
      context,
    );
  });

/** One network of each family at most, separated by a comma. */
export const networks = () =>
  line().transform((text, context): DualStack => {
    const found = text.split(',').map((one) => readNetwork(one.trim(), context));
    return oneOfEach(found, context) ?? { list: [] };
  });

/** A network of any kind; bits after the prefix are allowed and cut off later, with a warning. */
export const anyNetwork = () => textWhere((text) => parseCidr(text) !== undefined, 'KX2306');

/** The name of a host, or a range of them such as `node[5:6]`. */
export const hostRange = () =>
  line().check((payload) => {
    const { value } = payload;
    const range = expandRange(value);
    if (value === '' || !('fault' in range)) return;
    if (range.fault === 'reversed') refuse(payload, 'KX2313', { value });
    else if (range.fault === 'too many') refuse(payload, 'KX2314', { value, limit: RANGE_LIMIT });
    else if (range.fault === 'padding') refuse(payload, 'KX2316', { value });
    else refuse(payload, 'KX2315', { value });
  });

/** A version of Kubernetes that kubexm installs; always with a `v`. */
export const kubernetesVersion = () =>
  line().transform((text, context) => {
    const match = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/.exec(text);
    const minor = Number(match?.[2]);
    if (match === null) refuse({ issues: context.issues, value: text }, 'KX2317', { value: text });
    else if (match[1] !== '1' || minor < SUPPORTED_KUBERNETES.first || minor > SUPPORTED_KUBERNETES.last) {
      const { first, last } = SUPPORTED_KUBERNETES;
      refuse(context, 'KX2318', { value: text, first: `1.${first}`, last: `1.${last}` });
    }
    return `v${text.replace(/^v/, '')}`;
  });

function isAbsolutePath(text: string): boolean {
  return /^\/\S*$/.test(text) && !text.split('/').includes('..');
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/.test(text) && URL.canParse(text);
}

function isServer(text: string): boolean {
  const bare = text.replace(/:\d{1,5}$/, '');
  return parseIp(text) !== undefined || parseIp(bare) !== undefined || isDomain(bare.toLowerCase());
}

function readHostAddress(text: string, context: Payload): string {
  const withPort = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  if (withPort !== null) refuse(context, 'KX2302', { value: text, port: withPort[3] ?? '' });
  else if (/[[\]%]/.test(text)) refuse(context, 'KX2333', { value: text });
  else if (text.includes(':') || /^[\d.]+$/.test(text)) {
    const ip = readIp(text, context);
    return ip === undefined ? text : formatIp(ip);
  } else if (text !== '' && !isDomain(text.toLowerCase())) refuse(context, 'KX2305', { value: text });
  return text.toLowerCase();
}

function readIp(text: string, context: Payload): Ip | undefined {
  const ip = parseIp(text);
  if (ip !== undefined && addressKind(ip) !== 'unusable') return ip;
  const code: ConfigCode = ip !== undefined ? 'KX2304' : /[[\]%]/.test(text) ? 'KX2333' : 'KX2301';
  refuse(context, code, { value: text } as Omit<ErrorParams<'KX2301'>, 'field'>);
  return undefined;
}

function readNetwork(text: string, context: Payload): { family: Family; text: string } | undefined {
  const cidr = parseCidr(text);
  if (cidr === undefined) refuse(context, 'KX2306', { value: text });
  else if (cidr.hostBits) refuse(context, 'KX2307', { value: text, network: formatCidr(cidr) });
  return cidr && { family: cidr.family, text: formatCidr(cidr) };
}

function oneOfEach(
  values: readonly ({ family: Family; text: string } | undefined)[],
  context: Payload,
): DualStack | undefined {
  const good = values.filter((value) => value !== undefined);
  for (const family of [4, 6] as const) {
    if (good.filter((value) => value.family === family).length > 1) {
      refuse(context, 'KX2303', { family: `IPv${family}` });
      return undefined;
    }
  }
  return good.length === values.length ? dualStack(good) : undefined;
}
