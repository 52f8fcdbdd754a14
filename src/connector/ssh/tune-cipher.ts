import { type CipherGCM, createCipheriv, createSecretKey, type KeyObject, randomFillSync } from 'node:crypto';
import type ssh2 from 'ssh2';
import { lend } from './gather.ts';

/** What ssh2's AES-GCM cipher looks like inside. */
interface GcmCipher {
  outSeqno: number;
  readonly _dead: boolean;
  readonly _encSSLName: 'aes-128-gcm' | 'aes-256-gcm';
  readonly _encKey: Buffer;
  readonly _encIV: Buffer;
  _onWrite(data: Uint8Array): void;
  allocPacket(payloadLength: number): Buffer;
  encrypt(packet: Buffer): void;
}

/** More than the biggest packet that OpenSSH takes. */
const SCRATCH_BYTES = 64 * 1024;
const BLOCK = 16;

/**
 * Makes sending cheaper. ssh2 takes new memory for every packet, twice, and creates its key from bytes each time, which in Node 24
 * costs more than to encrypt; at half a gigabyte a second the garbage collector then works more than anyone else. A packet
 * is encrypted as soon as it is filled, so one buffer does for all. Where ssh2 looks different inside, nothing is done.
 */
export function tuneCipher(client: ssh2.Client): boolean {
  const { _protocol: protocol } = client as unknown as { _protocol?: { _cipher?: Partial<GcmCipher> } };
  const cipher = protocol?._cipher;
  if (!cipher || !isGcm(cipher)) return false;
  const key = createSecretKey(cipher._encKey);
  const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  const padding = randomPadding();
  cipher.allocPacket = (payloadLength) => {
    const padLength = padLengthFor(payloadLength);
    const length = 5 + payloadLength + padLength;
    const packet = length > SCRATCH_BYTES ? Buffer.allocUnsafe(length) : scratch.subarray(0, length);
    packet.writeUInt32BE(length - 4, 0);
    packet[4] = padLength;
    packet.set(padding(padLength), 5 + payloadLength);
    return packet;
  };
  cipher.encrypt = (packet) => encrypt(cipher, key, packet);
  return true;
}

function encrypt(cipher: GcmCipher, key: KeyObject, packet: Buffer): void {
  if (cipher._dead) return;
  const gcm = createCipheriv(cipher._encSSLName, key, cipher._encIV) as CipherGCM;
  // The length goes out in clear, and waits in the socket while the scratch is used again.
  const length = Buffer.from(packet.subarray(0, 4));
  gcm.setAAD(length);
  cipher._onWrite(length);
  cipher._onWrite(lend(gcm.update(packet.subarray(4))));
  gcm.final();
  cipher._onWrite(gcm.getAuthTag());
  increment(cipher._encIV);
  cipher.outSeqno = (cipher.outSeqno + 1) >>> 0;
}

/** RFC 5647: all but the length is a multiple of the block, with four bytes of padding at least. */
function padLengthFor(payloadLength: number): number {
  const padLength = BLOCK - ((payloadLength + 1) % BLOCK);
  return padLength < 4 ? padLength + BLOCK : padLength;
}

/** The last eight bytes count the packets. */
function increment(iv: Buffer): void {
  for (let at = 11; at >= 4; at--) {
    const next = ((iv[at] ?? 0) + 1) & 0xff;
    iv[at] = next;
    if (next !== 0) return;
  }
}

/** Random bytes, fetched many at a time. */
function randomPadding(): (length: number) => Buffer {
  const pool = Buffer.allocUnsafeSlow(4096);
  let at = pool.length;
  return (length) => {
    if (at + length > pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    at += length;
    return pool.subarray(at - length, at);
  };
}

function isGcm(cipher: Partial<GcmCipher>): cipher is GcmCipher {
  return (
    cipher.constructor?.name === 'AESGCMCipherNative' &&
    /^aes-(128|256)-gcm$/.test(String(cipher._encSSLName)) &&
    Buffer.isBuffer(cipher._encKey) &&
    Buffer.isBuffer(cipher._encIV) &&
    cipher._encIV.length === 12 &&
    typeof cipher._onWrite === 'function' &&
    typeof cipher.outSeqno === 'number'
  );
}
