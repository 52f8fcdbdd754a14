export { createHops } from '../connector/ssh/client.ts';
export { defaultSshConfig, resolveTarget, type TargetSpec } from '../connector/ssh/resolve-target.ts';
export type { Hops } from '../connector/ssh/route.ts';
export type { Auth, HostKeys, Target } from '../connector/target.ts';
export { type ConnectOptions, connectMachine, localMachine, type MachineOptions } from './connect.ts';
export { type FactsTiming, parseFacts } from './facts.ts';
export type { LinkEvent } from './link.ts';
export type { LockState } from './lock.ts';
export type { LinkedMachine } from './machine.ts';
