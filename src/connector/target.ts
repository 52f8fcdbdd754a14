import type { AskPassphrase, KeyRing } from './ssh/key-ring.ts';

/** How to prove who one is. Tried in this order: key, agent, identity files, keyboard-interactive, password. */
export interface Auth {
  /** A key that must be usable: a missing file is an error. */
  readonly privateKeyPath?: string;
  readonly privateKey?: string;
  /** For encrypted keys. */
  readonly passphrase?: string;
  /** Asked for an encrypted key's passphrase when none is given. Of keys that are merely tried only when nothing else is given. */
  readonly askPassphrase?: AskPassphrase;
  /** Keys that were opened before: shared by all logins, so that one key is asked for once. */
  readonly keys?: KeyRing;
  /** The agent's socket, or true for the one in SSH_AUTH_SOCK. */
  readonly agent?: string | boolean;
  /** Keys that are tried when they exist, as OpenSSH does. */
  readonly identityFiles?: readonly string[];
  /** Offer only those of the agent's keys that are named by identityFiles or privateKeyPath. */
  readonly identitiesOnly?: boolean;
  readonly password?: string;
  /** Answer a single password prompt with the password. Default true when there is one. */
  readonly keyboardInteractive?: boolean;
}

/** Which host keys are trusted. */
export interface HostKeys {
  /** Where new keys are pinned. Made with mode 0600. */
  readonly pinFile: string;
  /** More known_hosts files, only read. */
  readonly files?: readonly string[];
  /**
   * `strict` refuses a host that is not known, `ask` asks a person; the default trusts it the first time. A changed key is
   * always refused.
   */
  readonly policy?: 'accept-new' | 'strict' | 'ask';
  /** Asks a person whether a key is the machine's. */
  readonly ask?: (key: ShownKey) => Promise<'yes' | 'no' | 'nobody there'>;
  /** Told of every key that is pinned without a question. */
  readonly onPinned?: (key: ShownKey) => void;
}

/** A host key that a machine showed. */
export interface ShownKey {
  /** What errors call the machine. */
  readonly host: string;
  readonly address: string;
  /** `ssh-ed25519` */
  readonly type: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
}

/** A machine to log in to. */
export interface Target {
  /** What errors call it. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly auth: Auth;
  readonly hostKeys: HostKeys;
  /** The only keys to trust: `ssh-ed25519 AAAA…` or `SHA256:…`. */
  readonly hostKey?: readonly string[];
  /** What known_hosts calls it, when not its address. */
  readonly hostKeyAlias?: string;
  /** Machines to go through, the nearest to us first. */
  readonly bastions: readonly Target[];
}

/** An address without the brackets that IPv6 is often written with. */
export function bareAddress(address: string): string {
  return address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address;
}
