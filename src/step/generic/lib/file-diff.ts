import { MASK } from '../../../model/text/mask.ts';
import { type Change, textDiff } from '../../../plan/diff.ts';
import type { SeenFile } from './seen-file.ts';
import { asText } from './write.ts';

/** Longer files are shown by size and digest, not line by line. */
export const MAX_DIFF_BYTES = 64 * 1024;
const MAX_DIFF_LINES = 200;

/** How a file's new content looks beside what was seen. */
export function contentChange(
  path: string,
  seen: SeenFile,
  after: Uint8Array,
  digest: string,
  secret: boolean,
): Change {
  const from = seen.type === 'absent' ? {} : { from: secret ? MASK : summary(seen.size, seen.sha256, seen.type) };
  if (secret) return { what: path, ...from, to: MASK };
  const text = lineDiff(seen, after);
  if (text === undefined) return { what: path, ...from, to: summary(after.length, digest, 'file') };
  return { what: seen.type === 'absent' ? `${path} (new)` : path, text };
}

/** A unified diff in which a missing last line end and control characters can be seen. */
export function unified(before: string, after: string): string {
  const [a, b] = [shown(before), shown(after)];
  const all = textDiff(a, b).split('\n');
  const more = all.length - MAX_DIFF_LINES;
  return more > 0 ? [...all.slice(0, MAX_DIFF_LINES), `… ${more} more lines`].join('\n') : all.join('\n');
}

function lineDiff(seen: SeenFile, after: Uint8Array): string | undefined {
  const before =
    seen.type === 'absent'
      ? ''
      : seen.type === 'file' && seen.rest.length === seen.size
        ? asText(seen.rest)
        : undefined;
  const text = after.length <= MAX_DIFF_BYTES ? asText(after) : undefined;
  return before === undefined || text === undefined ? undefined : unified(before, text);
}

function shown(text: string): string {
  const safe = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (c) => {
    return c === '\r' ? '\\r' : `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  if (safe === '') return '';
  return safe.endsWith('\n') ? safe.slice(0, -1) : `${safe}\n\\ no line end`;
}

function summary(bytes: number, digest: string | undefined, type: string): string {
  if (digest === undefined) return type;
  return `${bytes} bytes, sha256 ${digest.slice(0, 12)}`;
}
