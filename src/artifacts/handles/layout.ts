import { join } from 'node:path';
import type { Item, Job } from '../cache/index.ts';

/** The directory of a group of components, where it is not the component's own name. */
const GROUP_DIRS: Partial<Record<Job['group'], string>> = { runtime: 'container_runtime' };

/** Where a job's item lies in the cluster's work directory. */
export function layoutPath(workDir: string, job: Job, item: Item): string {
  if (job.kind === 'image') return join(workDir, 'images', job.arch, imageFile(job.image.reference));
  const parent = GROUP_DIRS[job.group];
  const place = [...(parent === undefined ? [] : [parent]), job.component, job.version];
  return join(workDir, ...place, ...(job.arch === undefined ? [] : [job.arch]), item.name);
}

/** `registry.k8s.io/coredns/coredns:v1.12.1` as a name of a file that tells the same. */
function imageFile(reference: string): string {
  return `${reference.replaceAll('/', '_').replaceAll(':', '@')}.tar`;
}
