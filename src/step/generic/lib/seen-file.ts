import type { Output } from '../../../model/host.ts';
import { type Script, sh } from '../../../model/script.ts';
import type { SeenOwnership } from './ownership.ts';
import { absolute } from './path.ts';

/** What kind of thing has a name. */
export type FileType = 'absent' | 'file' | 'directory' | 'symlink' | 'other';

/** What a machine has under a path. */
export interface SeenFile extends SeenOwnership {
  readonly type: FileType;
  readonly size: number;
  /** Of a regular file. */
  readonly sha256: string | undefined;
  /** What follows: a link's target, or a file's content where it was asked for. */
  readonly rest: Uint8Array;
}

/** What a journal may keep of it: never content. */
export interface SeenMeta {
  readonly [key: string]: string | number;
  readonly type: FileType;
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
}

const ABSENT: SeenFile = {
  type: 'absent',
  mode: 0,
  uid: 0,
  gid: 0,
  user: '',
  group: '',
  size: 0,
  sha256: undefined,
  rest: new Uint8Array(),
};

/** How a file is looked at. */
export interface LookOptions {
  /** Print the content too, when its digest is another one and it is at most this long. */
  readonly contentUnless?: { readonly sha256: string; readonly maxBytes: number };
  /** Follow a link and look at what it leads to. */
  readonly follow?: boolean;
  readonly noDigest?: boolean;
  /** It may be big: the library's digest reads only what it does not know yet, but takes a few programs more. */
  readonly big?: boolean;
}

/** A read-only script that describes one path; `parseSeen` reads what it prints. */
export function lookAt(path: string, options: LookOptions = {}): Script {
  const flag: Script = { script: options.follow === true ? '-L ' : '' };
  const isLink: Script = options.follow === true ? { script: 'false' } : { script: '[ -L "$p" ]' };
  const content =
    options.contentUnless === undefined
      ? sh``
      : sh`
    if [ "$d" != ${options.contentUnless.sha256} ] && [ "$(stat ${flag}-c %s -- "$p")" -le ${options.contentUnless.maxBytes} ]; then cat <"$p"; fi`;
  const sum = options.big === true ? sh`d=$(kx_sha256 "$p")` : sh`d=$(sha256sum <"$p"); d=\${d%% *}`;
  const digest = options.noDigest === true ? sh`d=` : sum;
  return sh`p=${absolute(path)}
if ${isLink} || [ -e "$p" ]; then
  stat ${flag}-c '%f %s %u %g
%U
%G' -- "$p"
  if ${isLink}; then
    echo; readlink -n -- "$p"
  elif [ -f "$p" ]; then
    ${digest}; printf '%s\\n' "$d"${content}
  else
    echo
  fi
else
  echo absent
fi`;
}

/** Reads what `lookAt` printed. An answer that makes no sense counts as absent, so that the step is needed. */
export function parseSeen(output: Output): SeenFile {
  const { bytes } = output;
  const heads: string[] = [];
  let at = 0;
  for (let i = 0; i < 4; i++) {
    const end = bytes.indexOf(10, at);
    if (end < 0) return ABSENT;
    heads.push(Buffer.from(bytes.subarray(at, end)).toString('utf8'));
    at = end + 1;
  }
  const [numbers = '', user = '', group = '', digest = ''] = heads;
  const match = /^([0-9a-f]+) ([0-9]+) ([0-9]+) ([0-9]+)$/.exec(numbers);
  if (match === null) return ABSENT;
  const raw = Number.parseInt(match[1] ?? '', 16);
  return {
    type: typeOf(raw),
    mode: raw & 0o7777,
    size: Number(match[2]),
    uid: Number(match[3]),
    gid: Number(match[4]),
    user,
    group,
    sha256: /^[0-9a-f]{64}$/.test(digest) ? digest : undefined,
    rest: bytes.subarray(at),
  };
}

/** The part of what was seen that a journal may keep. */
export function metaOf(seen: SeenFile): SeenMeta {
  return { type: seen.type, mode: `0${seen.mode.toString(8).padStart(3, '0')}`, uid: seen.uid, gid: seen.gid };
}

/** What is in the way, for people. */
export function describeSeen(seen: SeenFile): string {
  if (seen.type === 'file') return `file, ${seen.size} bytes`;
  if (seen.type === 'symlink') return `link to ${Buffer.from(seen.rest).toString('utf8')}`;
  return seen.type === 'other' ? 'special file' : seen.type;
}

function typeOf(raw: number): FileType {
  switch (raw & 0o170000) {
    case 0o100000:
      return 'file';
    case 0o040000:
      return 'directory';
    case 0o120000:
      return 'symlink';
    default:
      return 'other';
  }
}
