export { createHops } from '../connector/ssh/client.ts';
export { KeyRing } from '../connector/ssh/key-ring.ts';
export { defaultSshConfig, resolveTarget, type TargetSpec } from '../connector/ssh/resolve-target.ts';
export type { Auth, HostKeys, ShownKey, Target } from '../connector/target.ts';
export { boxSystem } from './box.ts';
export { connectMachine, localMachine } from './connect.ts';
export type { LockState } from './lock.ts';
export type { LinkedMachine } from './machine.ts';
export { boxPackages, installCommand, installScript, type System } from './os/box-packages.ts';
