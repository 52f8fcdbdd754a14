import type { KubexmError } from '../model/errors/index.ts';

/** What a lab's machines run. */
export type LabImage = 'debian-12' | 'debian-13';

/** The images that can be made. */
export const LAB_IMAGES = ['debian-12', 'debian-13'] as const satisfies readonly LabImage[];

/** What the user wants: some machines that look like freshly installed ones. */
export interface LabSpec {
  /** Lower-case letters, digits and dashes; machines are called `NAME-1`, `NAME-2` … */
  readonly name: string;
  readonly machines: number;
  /** Default debian-12. */
  readonly image?: LabImage;
  /** What each machine has and says it has. Default: all of the box's. */
  readonly memoryBytes?: number;
  /** Who logs in. Default root. Anybody else becomes root by sudo. */
  readonly user?: string;
  /** What sudo asks this user for; without it sudo asks for nothing. Kept in a 0600 file of the lab only. */
  readonly sudoPassword?: string;
  /** An IPv4 network of 24 bits, such as `10.88.7.0/24`. Default: one that is free. */
  readonly subnet?: string;
}

/** Where labs and base images are kept. */
export interface LabPlaces {
  /** One directory per lab. */
  readonly labs: string;
  /** Base images and downloaded packages, shared by all labs; may be removed at any time when no lab exists. */
  readonly cache: string;
}

/** Progress of a lab. It contains no texts: the receiver chooses the language. */
export type LabProgress =
  /** Somebody else works on the same thing. */
  | { readonly type: 'waiting'; readonly for: 'lab' | 'base' | 'box' }
  | { readonly type: 'installing'; readonly packages: readonly string[] }
  /** The base image: `line` is what the tool that makes it says. */
  | { readonly type: 'base'; readonly state: 'building' | 'ready'; readonly image: LabImage; readonly line?: string }
  | { readonly type: 'network'; readonly subnet: string; readonly link: string }
  | {
      readonly type: 'machine';
      readonly machine: string;
      /** `ready`: somebody can log in. `removed`: nothing of it is left. */
      readonly state: 'preparing' | 'booting' | 'ready' | 'baseline' | 'stopping' | 'stopped' | 'copying' | 'removed';
      /** Since the call began. */
      readonly ms: number;
    };

/** Is called once per machine after its first boot has ended, before `createLab` returns: a baseline is taken here. */
export type AfterFirstBoot = (machine: LabMachine) => Promise<void>;

/** What every call takes. */
export interface LabOptions {
  /** Default: this process's own. Tells where labs are: KUBEXM_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, HOME. */
  readonly env?: NodeJS.ProcessEnv;
  readonly progress?: (event: LabProgress) => void;
  readonly signal?: AbortSignal;
}

/** What making a lab takes beside. */
export interface CreateLabOptions extends LabOptions {
  /** Default: `takeBaseline` of src/lab/diff/baseline.ts. */
  readonly afterFirstBoot?: AfterFirstBoot;
}

/** `missing`: recorded, but nothing of it was made yet. `starting`: its first process is not there yet. */
export type MachineState = 'running' | 'starting' | 'stopped' | 'missing';

/** A directory that is bound into the machine: no part of its overlay. */
export interface DataDir {
  /** `/var/lib/etcd` */
  readonly inside: string;
  /** Where it is on the box. */
  readonly outside: string;
}

/** One machine, as it was when it was looked at. */
export interface LabMachine {
  /** Its host name, unique on this box: `t-1`. */
  readonly name: string;
  readonly lab: string;
  /** From 1. */
  readonly index: number;
  readonly state: MachineState;
  readonly address: string;
  /** Unique local address, where the box has IPv6. */
  readonly address6?: string;
  /** Who logs in, with which key. */
  readonly user: string;
  readonly sshKeyPath: string;
  /** As in known_hosts: `ssh-ed25519 AAAA…`. */
  readonly hostKey: string;
  /** The file with sudo's password, if it asks for one. */
  readonly sudoPasswordFile?: string;
  /** Its first process as seen from the box, while it runs. */
  readonly pid?: number;
  readonly partitioned: boolean;
  /** What a packet to it waits. */
  readonly delayMs: number;
  /** Everything of this machine on the box: 0700. `baseline` in it belongs to src/lab/diff. */
  readonly dir: string;
  /** Its file system as the box sees it: `/proc/PID/root` while it runs. */
  readonly rootDir?: string;
  /** The overlay's upper directory: what differs from the image. Whiteouts are 0/0 devices, opaque is trusted.overlay.opaque. */
  readonly upperDir: string;
  /** The overlay's lower directory: the image, never written. */
  readonly baseDir: string;
  readonly dataDirs: readonly DataDir[];
}

/** `partial`: making or removing it was interrupted; it can be deleted. `restoring`: restore it again, or delete it. */
export type LabPhase = 'ready' | 'partial' | 'restoring';

/** A lab, as it was when it was looked at. */
export interface Lab {
  readonly name: string;
  readonly provider: string;
  readonly phase: LabPhase;
  readonly image: LabImage;
  readonly memoryBytes?: number;
  readonly user: string;
  /** ISO 8601. */
  readonly created: string;
  readonly subnet: string;
  /** The box's address in the lab's network. */
  readonly gateway: string;
  /** The box's link to it. */
  readonly link: string;
  /** Where the machines get packages from. */
  readonly repository: string;
  readonly dir: string;
  readonly machines: readonly LabMachine[];
  readonly snapshots: readonly string[];
}

/** A lab whose record is torn or somebody else's: nothing is known of it, but it can be deleted. */
export interface BrokenLab {
  readonly name: string;
  readonly error: KubexmError;
}

/** A machine, or its name. */
export type MachineRef = string | Pick<LabMachine, 'name' | 'lab'>;

/** A shell script, or a command with its arguments. */
export type MachineCommand = string | readonly string[];

/** How a command in a machine is run. */
export interface ExecOptions {
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Only the machine's network; files and programs are the box's own: for tools that the machine lacks. */
  readonly networkOnly?: boolean;
}

/** What a command in a machine did. A signal counts as 128 plus its number. */
export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Makes machines of one kind. systemd-nspawn is the only one today; Docker, Lima or a cloud can follow. */
export interface LabProvider {
  readonly name: string;
  create(spec: LabSpec, options: CreateLabOptions): Promise<Lab>;
  open(name: string, options: LabOptions): Promise<Lab>;
  /** Those of which something is known. */
  list(options: LabOptions): Promise<readonly Lab[]>;
  /** The others. */
  broken(options: LabOptions): Promise<readonly BrokenLab[]>;
  /** Removes all of it, also what was half made; false when there was nothing. */
  remove(name: string, options: LabOptions): Promise<boolean>;
  /** Those of the machines that do not run, at once; answers when somebody can log in to each. */
  start(lab: string, machines: readonly string[], options: LabOptions): Promise<void>;
  stop(lab: string, machines: readonly string[], options: LabOptions): Promise<void>;
  reboot(lab: string, machines: readonly string[], options: LabOptions): Promise<void>;
  /** A power cut: the machine gets no warning and writes nothing. */
  cut(lab: string, machines: readonly string[], options: LabOptions): Promise<void>;
  partition(lab: string, machine: string, options: LabOptions): Promise<void>;
  heal(lab: string, machine: string, options: LabOptions): Promise<void>;
  delay(lab: string, machine: string, ms: number, options: LabOptions): Promise<void>;
  snapshot(lab: string, snapshot: string, options: LabOptions): Promise<void>;
  restore(lab: string, snapshot: string, options: LabOptions): Promise<void>;
  exec(machine: LabMachine, command: MachineCommand, options: ExecOptions): Promise<ExecResult>;
}
