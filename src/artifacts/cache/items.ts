import type { Item, Job } from './types.ts';

/** The files that a job yields, in a stable order. Equal ids mean equal files, in whichever cluster. */
export function itemsOf(job: Job): readonly Item[] {
  if (job.kind === 'image') {
    // By the name that is in the tar: the same image under another name is another file.
    return [{ id: `image/${job.image.reference}/${job.arch}`, kind: 'image', name: job.image.name }];
  }
  const place = [job.component, job.version, ...(job.arch === undefined ? [] : [job.arch])].join('/');
  return job.files.flatMap((file): readonly Item[] => {
    const programs = Object.keys(file.programs);
    if (programs.length > 0) return programs.map((name) => ({ id: `${place}/${name}`, kind: 'program', name }));
    const kind = file.kind === 'binary' ? 'program' : file.kind;
    return [{ id: `${place}/${file.file}`, kind, name: file.file }];
  });
}
