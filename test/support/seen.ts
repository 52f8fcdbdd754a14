import type { Output } from '../../src/model/host.ts';

/** What a look at a path printed, for tables of verdicts. */
export interface Seen {
  readonly type?: 'file' | 'directory' | 'symlink' | 'fifo';
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly user?: string;
  readonly group?: string;
  readonly size?: number;
  readonly sha256?: string;
  readonly rest?: string | Uint8Array;
}

const TYPES = { file: 0o100000, directory: 0o040000, symlink: 0o120000, fifo: 0o010000 };

/** The output of a probe that found this. */
export function seen(found: Seen): Output {
  const {
    type = 'file',
    mode = 0o644,
    uid = 0,
    gid = 0,
    user = 'root',
    group = 'root',
    size = 0,
    sha256 = '',
    rest = '',
  } = found;
  const head = `${(TYPES[type] | mode).toString(16)} ${size} ${uid} ${gid}\n${user}\n${group}\n${sha256}\n`;
  return bytes(Buffer.concat([Buffer.from(head), Buffer.from(rest as string)]));
}

/** The output of a probe that found nothing. */
export const absent: Output = bytes(Buffer.from('absent\n'));

/** An output of these bytes. */
export function bytes(content: Uint8Array | string, code = 0): Output {
  const raw = Buffer.from(content as string);
  return { code, stdout: raw.toString('utf8'), stderr: '', bytes: raw, truncated: false };
}
