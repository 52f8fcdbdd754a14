import { createHash } from 'node:crypto';
import { shellSource } from '../shell-source.ts';

const base = shellSource(new URL('./base.sh', import.meta.url));
const frame = shellSource(new URL('./frame.sh', import.meta.url));
const scratch = shellSource(new URL('./scratch.sh', import.meta.url));
const sums = shellSource(new URL('./sums.sh', import.meta.url));
const file = shellSource(new URL('./file.sh', import.meta.url));
const undo = shellSource(new URL('./undo.sh', import.meta.url));
const effect = shellSource(new URL('./effect.sh', import.meta.url));
const manifest = shellSource(new URL('./manifest.sh', import.meta.url));
const reset = shellSource(new URL('./reset.sh', import.meta.url));
const job = shellSource(new URL('./job.sh', import.meta.url));
const lock = shellSource(new URL('./lock.sh', import.meta.url));
const facts = shellSource(new URL('./facts.sh', import.meta.url));
const main = shellSource(new URL('./main.sh', import.meta.url));

/** The POSIX-sh library that every shell on a host has: for dash, bash and busybox ash. */
export const library = [base, frame, scratch, sums, file, undo, effect, manifest, reset, job, lock, facts, main].join(
  '',
);

/** The part of the library that a stream of data needs. */
export const fileLibrary = [base, scratch, sums, file].join('');

/** Names the library's version. */
export const libraryId = createHash('sha256').update(library).digest('hex').slice(0, 12);
