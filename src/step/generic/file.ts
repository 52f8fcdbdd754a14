import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { type Content, contentBytes } from './lib/content.ts';
import { contentChange, MAX_DIFF_BYTES } from './lib/file-diff.ts';
import { type Ownership, ownershipDiff, sameMode, sameOwner } from './lib/ownership.ts';
import { lookAt, metaOf, parseSeen } from './lib/seen-file.ts';
import { sha256, writeScript } from './lib/write.ts';

/** A file and all that is in it. */
export interface File extends Ownership {
  readonly path: string;
  readonly content: Content;
  /** Its content is never shown; without a mode it gets 0600. */
  readonly secret?: boolean;
}

function ownership(want: File): Ownership {
  return want.mode === undefined && want.secret === true ? { ...want, mode: '0600' } : want;
}

/** Writes a file, atomically. A link in its place is replaced, a directory never is. Its directory must exist. */
export const file = defineStep<File>()({
  kind: 'file',
  description: 'A file with exactly this content, mode and owner: text, JSON, YAML, TOML, a template or bytes.',
  title: (want) => `file ${want.path}`,
  probe: (want) => {
    const digest = sha256(contentBytes(want.content));
    return lookAt(
      want.path,
      want.secret === true ? {} : { contentUnless: { sha256: digest, maxBytes: MAX_DIFF_BYTES } },
    );
  },
  judge: (output, want) => {
    const seen = parseSeen(output);
    const bytes = contentBytes(want.content);
    const digest = sha256(bytes);
    const owned = ownership(want);
    const there = seen.type === 'file';
    const same = there && seen.sha256 === digest;
    if (same && sameMode(seen, owned.mode) && sameOwner(seen, owned.owner))
      return satisfied({ path: want.path, sha256: digest });
    const content = same ? [] : [contentChange(want.path, seen, bytes, digest, want.secret === true)];
    return needed(metaOf(seen), [...content, ...ownershipDiff(there ? seen : undefined, owned)]);
  },
  apply: (_host, want) => writeScript(want.path, contentBytes(want.content), ownership(want)),
  saves: (want) => [want.path],
  example: { path: '/etc/motd', content: 'Welcome.\n', mode: '0644', owner: 'root:root' },
});
