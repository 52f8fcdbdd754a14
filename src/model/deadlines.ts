/**
 * How long kubexm waits for a host, in milliseconds. Every wait has a deadline: a host may answer keepalives for ever while its
 * shell, its disk or a network file system hangs, and one such host must not stall a run. Commands and jobs have the time
 * that their step allows.
 */
export interface Deadlines {
  /** TCP, key exchange and authentication together. */
  readonly connectMs: number;
  /** How often a silent connection is asked whether it is alive; `KEEPALIVES_MISSED` missed answers end it. */
  readonly keepaliveMs: number;
  /** A server that has reached its MaxSessions opens another session as soon as one of ours ends. */
  readonly sessionMs: number;
  /** The server's answer to opening a session. It forks, nothing more. */
  readonly channelMs: number;
  /** From the session to a root shell: profiles, PAM, LDAP lookups, sudo. */
  readonly loginMs: number;
  /** The shell's first answer: it reads our library (about 40 KiB) and makes its directory. */
  readonly helloMs: number;
  /** Facts read /proc, /sys and mounted file systems; a host with thousands of mounts needs a while. */
  readonly factsMs: number;
  /** A command whose caller names no time. */
  readonly callMs: number;
  /** One attempt to get a shell back after a cut, with ending what the old one ran and taking the lock again. */
  readonly reopenMs: number;
  /** The second shell, which stops commands: opened and answered. Its callers have waited for a timeout already. */
  readonly sideMs: number;
  /** Stopping one command by all means before the connection is given up. */
  readonly haltMs: number;
  /** A shell that was asked to end. */
  readonly shellCloseMs: number;
  /** A connection that was asked to end. */
  readonly disconnectMs: number;
  /** A file transfer in which no byte moves. Keepalives find a dead network sooner; this finds a hung disk. */
  readonly stallMs: number;
  /** Digesting a file of many gigabytes on a slow disk. */
  readonly digestMs: number;
  /** From asking for a job until it runs. */
  readonly jobStartMs: number;
  /** A job that was asked to end, before it is killed. */
  readonly jobGraceMs: number;
  /** How long a host that was cut off may stay away before it counts as lost. */
  readonly reconnectMs: number;
  /** How often the owner of a host's lock says that it is alive. */
  readonly heartbeatMs: number;
}

/** What applies unless the caller says otherwise. */
export const DEADLINES: Deadlines = {
  connectMs: 15_000,
  keepaliveMs: 10_000,
  sessionMs: 30_000,
  channelMs: 15_000,
  loginMs: 30_000,
  helloMs: 30_000,
  factsMs: 60_000,
  callMs: 60_000,
  reopenMs: 30_000,
  sideMs: 8000,
  haltMs: 10_000,
  shellCloseMs: 2000,
  disconnectMs: 1000,
  stallMs: 60_000,
  digestMs: 600_000,
  jobStartMs: 20_000,
  jobGraceMs: 5000,
  reconnectMs: 60_000,
  heartbeatMs: 5000,
};

/** After so many keepalives without an answer a connection is dead. */
export const KEEPALIVES_MISSED = 3;

/**
 * How long the owner of a host's lock may be silent and still come back: until keepalives have found that the connection is
 * dead, the whole window for reconnecting, one last attempt that began in it, and a few beats. Until then nobody else takes the lock.
 */
export function awayMs(deadlines: Deadlines): number {
  const { heartbeatMs, reconnectMs, connectMs, reopenMs } = deadlines;
  return heartbeatMs * 3 + silenceMs(deadlines) + reconnectMs + connectMs + reopenMs;
}

/** By then keepalives have found out whether a silent host is alive. */
export function silenceMs({ keepaliveMs }: Deadlines): number {
  return keepaliveMs * (KEEPALIVES_MISSED + 1);
}
