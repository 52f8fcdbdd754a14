import { chmod, rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { downloadFile } from '../../http/download.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { LOCAL, type Output } from '../../model/host.ts';
import { lines, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import type { Digested } from './checksum.ts';
import { absolute, invalid, parentOf } from './lib/path.ts';
import { lookAt, metaOf, parseSeen } from './lib/seen-file.ts';

/** A file of the network, kept on the machine kubexm runs on. */
export interface Download {
  /** The same file at several addresses: mirrors, in the order they are tried. */
  readonly urls: readonly string[];
  readonly path: string;
  /** In hex. */
  readonly sha256?: string;
  /** Where the sha256 or sha512 can be had, when it is not known: a bare digest, or a list with the file's name. */
  readonly checksumUrl?: string;
  readonly bytes?: number;
  /** Certificates to trust beside the usual ones, in PEM, as a file of this machine. */
  readonly caFile?: string;
  /** Tries at each address. Default 4. Only what may pass is tried again. */
  readonly attempts?: number;
  /** Before the second try; doubled each time. Default 1. */
  readonly delaySeconds?: number;
  /** After so long without a byte a server is given up. Default 30. */
  readonly stallSeconds?: number;
  /** Default 3600. */
  readonly timeoutSeconds?: number;
}

/** What is kept beside a file whose digest the plan does not know. */
interface Note {
  readonly sha256: string;
  readonly url: string;
}

const HOUR = 3600;

function notePath(want: Download): string {
  return `${absolute(want.path)}.kubexm.json`;
}

function checked(want: Download): Download {
  absolute(want.path);
  if (want.urls.length === 0) throw invalid(`no address to download ${want.path} from`);
  for (const url of [...want.urls, ...(want.checksumUrl === undefined ? [] : [want.checksumUrl])]) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw invalid(`${JSON.stringify(url)} is no http or https address`);
  }
  if (want.sha256 !== undefined && !/^[0-9a-f]{64}$/.test(want.sha256))
    throw invalid(`${JSON.stringify(want.sha256)} is no sha256`);
  return want;
}

/** Downloads a file. What came before a failure is kept and gone on with. */
export const download = defineStep<Download>()({
  kind: 'download',
  description:
    'A file from the network, on the machine kubexm runs on: mirrors, resumed transfers, checked digest; gives path, sha256 and length.',
  title: (want) => `download ${basename(String(want.path))}`,
  probe: (want) =>
    lines(
      lookAt(want.path),
      ...(want.sha256 === undefined ? [sh`printf '\\0'; cat -- ${notePath(want)} 2>/dev/null || :`] : []),
    ),
  judge: (output, want) => {
    const seen = parseSeen(output);
    const wanted = want.sha256 ?? notedDigest(output, want);
    if (seen.type === 'file' && seen.sha256 !== undefined && seen.sha256 === wanted) {
      return satisfied<Digested>({ path: want.path, sha256: seen.sha256, bytes: seen.size });
    }
    const from = seen.type === 'absent' ? {} : { from: 'another file' };
    return needed(metaOf(seen), [
      { what: want.path, ...from, to: want.sha256 === undefined ? 'downloaded' : `sha256 ${want.sha256.slice(0, 12)}` },
    ]);
  },
  apply: async (host, want, io): Promise<Digested> => {
    if (host.name !== LOCAL)
      throw invalid(`download works on the local machine only, not on ${host.name}: download there, then upload`);
    const { urls, path, sha256, checksumUrl, bytes, caFile } = checked(want);
    for (const url of urls) redactPassword(url, io.redact);
    // Through the host, so that the before-image is kept before this process writes.
    const made = await host.run(sh`mkdir -p -- ${parentOf(path)} && [ -d ${parentOf(path)} ]`);
    if (made.code !== 0) throw kubexmError('KX5001', { file: basename(path) }, { detail: made.stderr });
    const timeout = AbortSignal.timeout((want.timeoutSeconds ?? HOUR) * 1000);
    const done = await downloadFile(
      {
        urls,
        path,
        sha256,
        checksumUrl,
        bytes,
        caFile,
        attempts: want.attempts ?? 4,
        delaySeconds: want.delaySeconds ?? 1,
        stallSeconds: want.stallSeconds ?? 30,
      },
      {
        signal: AbortSignal.any([io.signal, timeout]),
        env: process.env,
        progress: (at, total) => io.progress(at, total),
      },
    );
    if (sha256 === undefined) await writeNote(want, { sha256: done.sha256, url: shownSource(done.url) });
    return { path, sha256: done.sha256, bytes: done.bytes };
  },
  saves: (want) => (want.sha256 === undefined ? [want.path, notePath(want)] : [want.path]),
  timeoutSeconds: (want) => (want.timeoutSeconds ?? HOUR) + 10,
  estimateSeconds: 20,
  example: {
    urls: ['https://dl.k8s.io/release/v1.33.4/bin/linux/amd64/kubeadm'],
    path: '/tmp/kubexm/kubeadm',
    checksumUrl: 'https://dl.k8s.io/release/v1.33.4/bin/linux/amd64/kubeadm.sha256',
  },
});

/** The digest that was noted when the file came, if it came from one of the addresses that are wanted now. */
function notedDigest(output: Output, want: Download): string | undefined {
  const cut = output.bytes.indexOf(0);
  if (cut < 0) return undefined;
  try {
    const note = JSON.parse(Buffer.from(output.bytes.subarray(cut + 1)).toString('utf8')) as Partial<Note>;
    return want.urls.some((url) => shownSource(url) === note.url) ? note.sha256 : undefined;
  } catch {
    return undefined;
  }
}

async function writeNote(want: Download, note: Note): Promise<void> {
  const path = notePath(want);
  await writeFile(`${path}.new`, `${JSON.stringify(note)}\n`);
  await chmod(`${path}.new`, 0o644);
  await rename(`${path}.new`, path);
}

/** An address without its password. */
function shownSource(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

function redactPassword(url: string, redact: (secret: string) => void): void {
  const { password } = new URL(url);
  if (password !== '') redact(decodeURIComponent(password));
}
