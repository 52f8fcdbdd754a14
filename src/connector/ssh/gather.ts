import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const LENT = Symbol('lent');

/** Bytes that nobody uses once they are sent. */
interface Lent extends Uint8Array {
  [LENT]?: true;
}

/**
 * Marks bytes as nobody's once they are sent: their memory is then given back at once. Left to the garbage collector, which
 * looks at everything for it, every twenty megabytes, that takes as long as encrypting.
 */
export function lend(bytes: Uint8Array): Uint8Array {
  const { buffer, byteLength } = bytes;
  // Small ones share their memory with others.
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) (bytes as Lent)[LENT] = true;
  return bytes;
}

function giveBack(bytes: Lent): void {
  if (bytes[LENT]) (bytes.buffer as ArrayBuffer).transfer(0);
}

/**
 * Sends what is written in one turn of the event loop together. ssh2 writes every packet in three pieces; with noDelay each
 * would be a system call and a TCP segment of its own, and through a bastion even a packet of its own.
 */
export function gatherWrites(stream: Duplex): Duplex {
  return stream instanceof Socket ? corkTurns(stream) : joinTurns(stream);
}

function corkTurns(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (chunk: Uint8Array, sent?: () => void) => boolean;
  let corked = false;
  const gather = (chunk: Lent): boolean => {
    if (!corked) {
      corked = true;
      socket.cork();
      process.nextTick(() => {
        corked = false;
        socket.uncork();
      });
    }
    return chunk[LENT] ? write(chunk, () => giveBack(chunk)) : write(chunk);
  };
  socket.write = gather as Socket['write'];
  return socket;
}

/** A channel cannot write several buffers at once: they become one. */
function joinTurns(stream: Duplex): Duplex {
  const write = stream.write.bind(stream) as (chunk: Uint8Array) => boolean;
  let waiting: Uint8Array[] = [];
  const gather = (chunk: Uint8Array): boolean => {
    waiting.push(chunk);
    if (waiting.length === 1) {
      process.nextTick(() => {
        const all = waiting;
        waiting = [];
        if (stream.writable) write(all.length === 1 ? (all[0] as Uint8Array) : Buffer.concat(all));
        if (all.length > 1) all.forEach(giveBack);
      });
    }
    return !stream.writableNeedDrain;
  };
  stream.write = gather as Duplex['write'];
  return stream;
}
