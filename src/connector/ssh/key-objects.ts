import { createSecretKey } from 'node:crypto';
import type ssh2 from 'ssh2';

type Holder = Record<string, unknown> | undefined;

/**
 * ssh2 makes a new AES-GCM cipher for every packet, from the key's bytes. Node 24 first makes a key out of them each time,
 * which costs more than to encrypt the packet; a key made once does not. Does nothing where ssh2 looks different inside.
 */
export function useKeyObjects(client: ssh2.Client): void {
  const { _protocol: protocol } = client as unknown as { _protocol?: { _cipher?: Holder; _decipher?: Holder } };
  prepare(protocol?._cipher, '_encKey');
  prepare(protocol?._decipher, '_decipherKey');
}

function prepare(holder: Holder, field: string): void {
  const key = holder?.[field];
  if (holder && Buffer.isBuffer(key)) holder[field] = createSecretKey(key);
}
