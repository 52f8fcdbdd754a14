import { type Logger, pino } from 'pino';

/** A logger and the file it writes to, without waiting for the disk. */
export interface LogStream {
  readonly logger: Logger;
  readonly stream: ReturnType<typeof pino.destination>;
}

/** Opens pino's own stream: in this process, since its worker threads do not survive bundling. */
export function openLogStream(fd: number, level: string): LogStream {
  const stream = pino.destination({ fd, sync: false });
  const options = {
    level,
    base: null,
    timestamp: false,
    messageKey: 'message',
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return { logger: pino(options, stream), stream };
}
