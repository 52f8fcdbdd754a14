/** Families of operating systems that share commands and paths. Only `src/host` acts on them. */
export type OsFamily = 'debian' | 'rhel' | 'suse' | 'arch' | 'alpine' | 'unknown';

/** A block of storage as the kernel names it. */
export interface DiskFact {
  readonly name: string;
  readonly bytes: number;
  readonly rotational: boolean;
}

/** A mounted file system that kubexm may fill. */
export interface MountFact {
  readonly path: string;
  readonly type: string;
  readonly bytes: number;
  readonly freeBytes: number;
}

/** An address of a network interface. */
export interface AddressFact {
  readonly device: string;
  readonly address: string;
  readonly prefix: number;
  readonly family: 4 | 6;
}

/** A route of the main table; `default` for the default route. */
export interface RouteFact {
  readonly destination: string;
  readonly device: string;
}

/** What was read from a machine before planning. Read in one round trip, never guessed. */
export interface Facts {
  readonly hostname: string;
  readonly machineId: string;
  readonly os: {
    readonly id: string;
    readonly version: string;
    readonly name: string;
    readonly family: OsFamily;
  };
  /** As Kubernetes names it: amd64, arm64 … */
  readonly arch: string;
  readonly kernel: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly disks: readonly DiskFact[];
  readonly mounts: readonly MountFact[];
  readonly addresses: readonly AddressFact[];
  readonly routes: readonly RouteFact[];
  readonly init: 'systemd' | 'openrc' | 'sysv' | 'none';
  readonly packageManager: 'apt' | 'dnf' | 'yum' | 'zypper' | 'apk' | 'pacman' | 'none';
  readonly cgroup: 1 | 2 | 0;
  /** Capabilities of the root shell, lower case without `cap_`. */
  readonly capabilities: readonly string[];
  /** The machine's clock minus this one's, corrected for half the round trip. */
  readonly timeOffsetMs: number;
  readonly timezone: string;
  readonly ntp: 'chrony' | 'ntpd' | 'timesyncd' | 'none';
  readonly selinux: 'enforcing' | 'permissive' | 'disabled' | 'absent';
  readonly firewall: readonly ('firewalld' | 'ufw')[];
  readonly virtualization: string;
  readonly resolver: 'file' | 'systemd-resolved' | 'networkmanager' | 'absent';
  /** The user that logged in, and whether the shell is root's. */
  readonly user: string;
  readonly root: boolean;
  /** Commands found on the fixed PATH, of those kubexm asks about. */
  readonly commands: readonly string[];
}
