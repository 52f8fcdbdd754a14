import { type KubexmError, kubexmError } from '../../../model/errors/index.ts';
import type { GoSettings } from './environment.ts';
import { plainGo } from './go-version.ts';
import type { Ended } from './run.ts';

/** What a failed run of go was about. */
export interface Attempt {
  /** What is built: `k8s.io/kubernetes v1.34.2`. */
  readonly what: string;
  readonly settings: GoSettings;
  readonly toolchain: string;
}

const SHOWN = 20;

const DISK_FULL = /no space left on device|disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/i;
const MISMATCH = /checksum mismatch|SECURITY ERROR|hash mismatch|invalid signature|misbehaving server/i;
const UNVERIFIED = /: verifying (?:module|go\.mod)|missing GOSUMDB|checksum database disabled/i;
const KILLED = /signal: killed|cannot allocate memory|out of memory/i;
const ABSENT = /\b(?:404 Not Found|410 Gone|not found: )|unknown revision|no matching versions|module lookup disabled/i;
const REFUSED = /\b(?:40[13] \w+|reading https?:\S+: 4\d\d )/i;
const NETWORK =
  /dial tcp|no such host|connection refused|connection reset|i\/o timeout|TLS handshake|deadline exceeded|proxyconnect|server misbehaving|network is unreachable|x509:|tls: |refusing to pass credentials|: EOF$|unexpected EOF|stream error|: 5\d\d |reading https?:\S+: (?:timeout|\d)/i;

/** The error for a run of go that failed: by what its last lines say. */
export function goFailure(ended: Ended, attempt: Attempt): KubexmError {
  const { what, settings } = attempt;
  const proxy = withoutSecrets(settings['GOPROXY'] ?? '');
  const lines = ended.tail.map(withoutSecrets).filter((line) => line.trim() !== '');
  const more = { detail: lines.slice(-SHOWN).join('\n') };
  const first = (pattern: RegExp) => lines.find((line) => pattern.test(line));
  const reason = (line: string | undefined) => short(line ?? lines.at(-1) ?? `go ended with code ${ended.code}`);
  if (ended.failure === 'missing') return noGo(what, 'go cannot be started', attempt.toolchain);
  if (ended.failure === 'stalled') {
    return kubexmError('KX7031', {
      proxy,
      reason: `nothing came for a long time, last for ${lastModule(lines) ?? what}`,
    });
  }
  const full = first(DISK_FULL);
  if (full !== undefined) return kubexmError('KX7035', { what, places: places(settings) }, more);
  const mismatch = first(MISMATCH);
  if (mismatch !== undefined) return kubexmError('KX7033', { what, proxy, reason: reason(mismatch) }, more);
  const killed = first(KILLED);
  if (killed !== undefined) return kubexmError('KX7040', { what }, more);
  const toolchain = first(/download go1\.|toolchain not available|invalid toolchain|GOTOOLCHAIN=/);
  if (toolchain !== undefined) return noGo(what, reason(toolchain), attempt.toolchain, more.detail);
  const unverified = lines.find((line) => UNVERIFIED.test(line) && (NETWORK.test(line) || ABSENT.test(line)));
  if (unverified !== undefined) return kubexmError('KX7034', { what, reason: reason(unverified) }, more);
  const absent = first(ABSENT) ?? first(REFUSED);
  if (absent !== undefined) return kubexmError('KX7032', { what, proxy, reason: reason(absent) }, more);
  const network = lines.find((line) => NETWORK.test(line) && /https?:\/\/|dial tcp|lookup /.test(line));
  if (network !== undefined) return kubexmError('KX7031', { proxy, reason: reason(network) }, more);
  return kubexmError(
    'KX7030',
    { what, reason: reason(lines.find((line) => !/^(?:#|go: downloading)/.test(line))) },
    more,
  );
}

/** A newer Go that a module turned out to need, after its requirements were read too. */
export function newerGo(ended: Ended): string | undefined {
  for (const line of ended.tail) {
    const found = /requires go >= (\S+) \(running go /.exec(line)?.[1];
    if (found !== undefined) return plainGo(found.replace(/[;,)]+$/, ''));
  }
  return undefined;
}

/** The disk is full, or whatever else happened to a file. */
export function fileFailure(error: unknown, what: string, settings: GoSettings): unknown {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return kubexmError('KX7035', { what, places: places(settings) }, { cause: error });
}

/** Addresses may hold a user and a password. */
export function withoutSecrets(text: string): string {
  return text.replace(/(:\/\/)[^\s/@,|]+@/g, '$1');
}

function noGo(what: string, reason: string, toolchain: string, detail?: string): KubexmError {
  const version = plainGo(toolchain) ?? '1.21';
  return kubexmError('KX7039', { what, reason, version }, detail === undefined ? {} : { detail });
}

function places(settings: GoSettings): string {
  return [settings['GOMODCACHE'], settings['GOCACHE'], settings['GOTMPDIR']].filter(Boolean).join(', ') || '~/.cache';
}

function lastModule(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => line.startsWith('go: downloading '))?.slice('go: downloading '.length);
}

/** One line, without the names of modules that only lead to the one in trouble. */
function short(line: string): string {
  const text = line.trim().replace(/^go: /, '');
  return text.length <= 300 ? text : `${text.slice(0, 297)}…`;
}
