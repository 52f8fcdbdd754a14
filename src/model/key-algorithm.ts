/** Kinds of keys that kubexm makes. */
export const KEY_ALGORITHMS = ['ecdsa-p256', 'rsa-2048', 'rsa-4096'] as const;

/** A kind of key that kubexm makes. */
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];
