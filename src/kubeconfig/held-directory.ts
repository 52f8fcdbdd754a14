import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Why a file must not be changed. */
export class UnfitFile extends Error {}

/** Who a file belongs to. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * A directory that stays the same one, whatever its path leads to meanwhile: root works in directories of others, who can put a link
 * in place of anything there at any moment. Where the system has no names for open files, only its own entries are safe from that.
 */
export class HeldDirectory {
  private readonly fd: number;
  private readonly at: string;

  private constructor(path: string) {
    this.fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const held = `/proc/self/fd/${this.fd}`;
    this.at = existsSync(held) ? held : path;
  }

  /** Opens a directory by its path without links; must be closed. Throws if a link has come into the path. */
  static open(path: string): HeldDirectory {
    const opened = new HeldDirectory(path);
    if (realpathSync(opened.at) === path) return opened;
    opened.close();
    throw new UnfitFile(`${path} is a link or has been replaced by one`);
  }

  close(): void {
    closeSync(this.fd);
  }

  get owner(): Owner {
    return fstatSync(this.fd);
  }

  /** A directory in it, made for its owner. */
  make(name: string): HeldDirectory {
    mkdirSync(this.below(name), { mode: 0o700 });
    const made = new HeldDirectory(this.below(name));
    try {
      giveTo(made.fd, this.owner);
      return made;
    } catch (error) {
      made.close();
      throw error;
    }
  }

  /** A file's text and owner; undefined if there is none. Neither a link is followed nor a pipe waited for. */
  read(name: string): { readonly text: string; readonly owner: Owner } | undefined {
    let fd: number;
    try {
      fd = openSync(this.below(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const found = fstatSync(fd);
      if (!found.isFile()) throw new UnfitFile(`${name} is not a file`);
      return { text: readFileSync(fd, 'utf8'), owner: found };
    } finally {
      closeSync(fd);
    }
  }

  /** Replaces a file as a whole. It is private from its first byte, and gets its owner while nobody else knows its name. */
  replace(name: string, text: string, owner: Owner): void {
    const part = this.below(`${name}.${randomBytes(8).toString('hex')}`);
    const fd = openSync(part, 'wx', 0o600);
    try {
      try {
        writeFileSync(fd, text);
        giveTo(fd, owner);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(part, this.below(name));
    } finally {
      rmSync(part, { force: true });
    }
  }

  /** Makes an empty file; throws EEXIST where something has its name. */
  claim(name: string): void {
    closeSync(openSync(this.below(name), 'wx', 0o600));
  }

  remove(name: string): void {
    rmSync(this.below(name), { force: true });
  }

  private below(name: string): string {
    return `${this.at}/${name}`;
  }
}

/** What is made for somebody else, as with sudo, is theirs. */
function giveTo(fd: number, { uid, gid }: Owner): void {
  if (process.getuid?.() === 0) fchownSync(fd, uid, gid);
}
