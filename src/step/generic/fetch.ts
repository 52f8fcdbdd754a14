import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import { hasFile } from './lib/local-file.ts';
import { absolute } from './lib/path.ts';
import { lookAt, metaOf, parseSeen } from './lib/seen-file.ts';

/** A host's file, to be kept on this machine. */
export interface Fetch {
  /** On the host. A link is followed. */
  readonly path: string;
  /** On this machine, in the work directory. */
  readonly to: string;
}

/**
 * Brings a file here, readable by its owner only. An action: it changes nothing on the host.
 * Its judge reads the kept copy, because a probe runs on the host and cannot.
 */
export const fetch = defineStep<Fetch>()({
  kind: 'fetch',
  description: 'A file of the host, kept on the machine kubexm runs on with mode 0600; gives its path and digest.',
  title: (want) => `fetch ${want.path}`,
  nature: 'action',
  probe: (want) => lookAt(want.path, { follow: true }),
  judge: (output, want) => {
    const seen = parseSeen(output);
    const { sha256 } = seen;
    if (seen.type === 'file' && sha256 !== undefined && hasFile(want.to, seen.size, sha256)) {
      return satisfied<Kept>({ path: want.to, sha256 });
    }
    return needed(metaOf(seen), [{ what: want.to, to: `copy of ${want.path}` }]);
  },
  apply: async (host, want, io): Promise<void> => {
    await mkdir(dirname(absolute(want.to)), { recursive: true, mode: 0o700 });
    await host.get(absolute(want.path), want.to, {
      mode: '0600',
      signal: io.signal,
      progress: (done, total) => io.progress(done, total),
    });
  },
  timeoutSeconds: 3600,
  example: { path: '/etc/kubernetes/admin.conf', to: '/tmp/kubexm/admin.conf' },
});
