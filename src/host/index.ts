export { createHops } from '../connector/ssh/client.ts';
export { KeyRing } from '../connector/ssh/key-ring.ts';
export { defaultSshConfig, resolveTarget, type TargetSpec } from '../connector/ssh/resolve-target.ts';
export type { Auth, Target } from '../connector/target.ts';
export { connectMachine, localMachine } from './connect.ts';
export type { LockState } from './lock.ts';
export type { LinkedMachine } from './machine.ts';
export { processStart } from './process-start.ts';
