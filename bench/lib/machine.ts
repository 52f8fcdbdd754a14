import { cpus, release, totalmem, type } from 'node:os';

/** What the figures were measured on, in one line. */
export function machineLine(): string {
  const gb = Math.round(totalmem() / 2 ** 30);
  return `Measured on: ${cpus().length} cores, ${gb} GiB of memory, ${type()} ${release()}, Node ${process.versions.node}.`;
}
