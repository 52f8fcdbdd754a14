import { closeSync, fsync, openSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const sync = promisify(fsync);

/** A private file that lines are added to. Those that come while the disk is busy share its next sync. */
export class SyncedLines {
  private readonly file: string;
  private waiting: string[] = [];
  private next: Promise<void> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.file = file;
  }

  /** Adds a line; it is on disk when this resolves. Nobody else is kept from working meanwhile. */
  add(line: string): Promise<void> {
    this.waiting.push(line);
    if (this.next === undefined) {
      this.next = this.last.then(() => this.write());
      this.last = this.next.catch(() => undefined);
    }
    return this.next;
  }

  private async write(): Promise<void> {
    const lines = this.waiting;
    this.waiting = [];
    this.next = undefined;
    const fd = openSync(this.file, 'a', 0o600);
    try {
      writeFileSync(fd, lines.map((line) => `${line}\n`).join(''));
      await sync(fd);
    } finally {
      closeSync(fd);
    }
  }
}
