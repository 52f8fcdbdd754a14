/** Where artifacts come from: the projects, mirrors, and what lies on disk. */
export { bundle } from './bundle.ts';
export { directory } from './directory.ts';
export { writeBundle } from './disk/write-bundle.ts';
export { mirror } from './mirror.ts';
export { upstream } from './upstream.ts';
export type { WebOptions } from './web/web.ts';
export { zone } from './zone.ts';
