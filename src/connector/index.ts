export type { Channel, Connection, ExecOptions, Exit } from './connection.ts';
export { connectLocal } from './local.ts';
export { connectSsh, type SshOptions } from './ssh/client.ts';
export { Hops } from './ssh/route.ts';
export type { Auth, HostKeys, Target } from './target.ts';
