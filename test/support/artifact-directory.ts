import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { itemsOf, jobsOf } from '../../src/artifacts/cache/index.ts';
import type { Supplied } from '../../src/artifacts/cache/types.ts';
import { readCatalog, resolveArtifacts } from '../../src/artifacts/catalog/index.ts';
import { blobPath, formatIndex, INDEX } from '../../src/artifacts/sources/disk/index-file.ts';
import { openCluster } from '../../src/state/open-config.ts';

/** Read once: it is big, and nobody changes it. */
const catalog = readCatalog();

/** Writes a source of the kind `directory` with a small file for everything a configuration needs, and tells the ids. */
export async function artifactDirectory(
  configFile: string,
  dir: string,
  leaveOut: (id: string) => boolean = () => false,
): Promise<readonly string[]> {
  const { cluster } = await openCluster(configFile);
  const needs = resolveArtifacts(cluster, await catalog, '');
  const items = jobsOf(needs).flatMap(itemsOf);
  const index = new Map<string, Supplied>();
  for (const { id, kind } of items) {
    if (leaveOut(id)) continue;
    const content = kind === 'program' ? `#!/bin/sh\necho ${id}\n` : `this is ${id}\n`;
    const sha256 = createHash('sha256').update(content).digest('hex');
    const file = join(dir, blobPath(sha256));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    index.set(id, { sha256, size: content.length });
  }
  writeFileSync(join(dir, INDEX), formatIndex(index));
  return items.map(({ id }) => id);
}
