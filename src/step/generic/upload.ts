import type { Host } from '../../model/host.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, type StepIo, satisfied } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import { type Ownership, ownershipDiff, sameMode, sameOwner } from './lib/ownership.ts';
import { absolute } from './lib/path.ts';
import { describeSeen, lookAt, metaOf, parseSeen, type SeenFile } from './lib/seen-file.ts';

/** A file of this machine, to be put on a host. */
export interface Upload extends Ownership {
  /**
   * What download, fetch and checksum give: the path here and the digest, without which nobody could compare. Null where no
   * source had an optional file: there is nothing to send.
   */
  readonly source: Kept | null;
  readonly path: string;
  readonly mode: string;
}

/** Sends a file. Its directory must exist. */
export const upload = defineStep<Upload>()({
  kind: 'upload',
  description: 'A file of the machine kubexm runs on, sent to the host: resumable and checked by its digest.',
  title: (want) => `upload ${want.path}`,
  probe: (want) => lookAt(want.path, { big: true }),
  judge: (output, want) => {
    const seen = parseSeen(output);
    const diff = uploadDiff(seen, want);
    return diff.length === 0 ? satisfied() : needed(metaOf(seen), diff);
  },
  apply: async (host, want, io): Promise<void> => {
    await sendFile(host, want, io);
    io.sent();
  },
  saves: (want) => [want.path],
  sends: true,
  timeoutSeconds: 3600,
  estimateSeconds: 5,
  example: {
    source: { path: '/tmp/etcd', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    path: '/usr/local/bin/etcd',
    mode: '0755',
    owner: 'root:root',
  },
});

/** What has to change for a file to be as wanted. */
export function uploadDiff(seen: SeenFile, want: Upload): readonly Change[] {
  if (want.source === null) return [];
  const there = seen.type === 'file';
  const same = there && seen.sha256 === want.source.sha256;
  if (same && sameMode(seen, want.mode) && sameOwner(seen, want.owner)) return [];
  const from =
    seen.type === 'absent'
      ? {}
      : { from: there && seen.sha256 !== undefined ? shortDigest(seen.sha256) : describeSeen(seen) };
  const content = same ? [] : [{ what: want.path, ...from, to: sourceText(want.source) }];
  return [...content, ...ownershipDiff(there ? seen : undefined, want)];
}

/** Sends it, whatever is there. */
export async function sendFile(host: Host, { source, path, mode, owner }: Upload, io: StepIo): Promise<void> {
  if (source === null) return;
  await host.put(source.path, absolute(path), {
    mode,
    ...(owner === undefined ? {} : { owner }),
    sha256: source.sha256,
    signal: io.signal,
    progress: (done, total) => io.progress(done, total),
  });
}

function shortDigest(sha256: string): string {
  return `sha256 ${sha256.slice(0, 12)}`;
}

/** A source that is not known yet is shown by the name of the step that makes it. */
function sourceText(source: Kept | string): string {
  if (typeof source === 'string') return source;
  return /^[0-9a-f]{64}$/.test(source.sha256) ? shortDigest(source.sha256) : source.sha256;
}
