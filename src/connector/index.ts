export type { Channel, Connection, ExecOptions, Exit } from './connection.ts';
export { connectLocal } from './local.ts';
export { connectSsh, createHops, type SshOptions } from './ssh/client.ts';
export { defaultSshConfig, resolveTarget, type TargetSpec } from './ssh/resolve-target.ts';
export type { Hops } from './ssh/route.ts';
export type { Auth, HostKeys, Target } from './target.ts';
