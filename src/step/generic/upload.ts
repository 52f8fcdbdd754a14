import { defineStep, needed, satisfied } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import { type Ownership, ownershipDiff, sameMode, sameOwner } from './lib/ownership.ts';
import { absolute } from './lib/path.ts';
import { describeSeen, lookAt, metaOf, parseSeen } from './lib/seen-file.ts';

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
  probe: (want) => lookAt(want.path),
  judge: (output, want) => {
    if (want.source === null) return satisfied();
    const seen = parseSeen(output);
    const there = seen.type === 'file';
    const same = there && seen.sha256 === want.source.sha256;
    if (same && sameMode(seen, want.mode) && sameOwner(seen, want.owner)) return satisfied();
    const from =
      seen.type === 'absent'
        ? {}
        : { from: there && seen.sha256 !== undefined ? shortDigest(seen.sha256) : describeSeen(seen) };
    const content = same ? [] : [{ what: want.path, ...from, to: sourceText(want.source) }];
    return needed(metaOf(seen), [...content, ...ownershipDiff(there ? seen : undefined, want)]);
  },
  apply: async (host, want, io) => {
    const { mode, owner, source } = want;
    if (source === null) return;
    await host.put(source.path, absolute(want.path), {
      mode,
      ...(owner === undefined ? {} : { owner }),
      sha256: source.sha256,
      signal: io.signal,
      progress: (done, total) => io.progress(done, total),
    });
  },
  saves: (want) => [want.path],
  timeoutSeconds: 3600,
  estimateSeconds: 5,
  example: {
    source: { path: '/tmp/etcd', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    path: '/usr/local/bin/etcd',
    mode: '0755',
    owner: 'root:root',
  },
});

function shortDigest(sha256: string): string {
  return `sha256 ${sha256.slice(0, 12)}`;
}

/** A source that is not known yet is shown by the name of the step that makes it. */
function sourceText(source: Kept | string): string {
  if (typeof source === 'string') return source;
  return /^[0-9a-f]{64}$/.test(source.sha256) ? shortDigest(source.sha256) : source.sha256;
}
