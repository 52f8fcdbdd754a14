import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Something that will be written, and where. */
export interface Load {
  readonly path: string;
  readonly bytes: number;
}

/** A file system that has too little room. */
export interface NoRoom {
  readonly path: string;
  readonly neededBytes: number;
  readonly freeBytes: number;
}

/** The file system of a path that may not exist yet. */
interface Room {
  readonly device: number;
  readonly freeBytes: number;
}

/** File systems on which all of that does not fit. */
export async function noRoom(
  loads: readonly Load[],
  roomAt: (path: string) => Promise<Room | undefined> = look,
): Promise<readonly NoRoom[]> {
  const found = await Promise.all(loads.map(async (load) => ({ load, room: await roomAt(load.path) })));
  const devices = Map.groupBy(found, ({ room }) => room?.device);
  return [...devices.values()].flatMap((some) => {
    const [first] = some;
    if (first?.room === undefined) return [];
    const neededBytes = some.reduce((sum, { load }) => sum + load.bytes, 0);
    const { freeBytes } = first.room;
    return freeBytes < neededBytes ? [{ path: first.load.path, neededBytes, freeBytes }] : [];
  });
}

async function look(path: string): Promise<Room | undefined> {
  try {
    const [{ dev: device }, { bavail, bsize }] = await Promise.all([stat(path), statfs(path)]);
    return { device, freeBytes: bavail * bsize };
  } catch {
    return dirname(path) === path ? undefined : await look(dirname(path));
  }
}
