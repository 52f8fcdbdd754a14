import { createHash } from 'node:crypto';
import { base } from './base.ts';
import { effect } from './effect.ts';
import { facts } from './facts.ts';
import { file } from './file.ts';
import { frame } from './frame.ts';
import { job } from './job.ts';
import { lock } from './lock.ts';
import { manifest } from './manifest.ts';
import { reset } from './reset.ts';
import { scratch } from './scratch.ts';
import { sums } from './sums.ts';
import { compact, posix } from './text.ts';
import { undo } from './undo.ts';

/** What happens when the library is run as a file: a job's process. */
const main = posix`
case \${0##*/}:\${1-} in
  lib.*:job)
    KX_STATE=$3 KX_RUN=$4
    kx_env
    kx_job_main "$2"
    exit
    ;;
esac
`;

/** The POSIX-sh library that every shell on a host has: for dash, bash and busybox ash. */
export const library = [base, frame, scratch, sums, file, undo, effect, manifest, reset, job, lock, facts, main]
  .map(compact)
  .join('');

/** Names the library's version. */
export const libraryId = createHash('sha256').update(library).digest('hex').slice(0, 12);
