#!/usr/bin/env node
// What `kubexm` starts, copied to dist/kubexm.mjs. Only what any Node understands may stand here: it is what tells people that
// theirs is too old.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`kubexm: Node ${process.versions.node} is too old; 22.18 or newer is needed\n`);
  process.exit(1);
}

// Compiled code is kept between starts. Without a home there is none, and kubexm only starts a little slower.
try {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  module.enableCompileCache(join(cache, 'kubexm', 'compiled'));
} catch {}

await import(String(new URL('./main.mjs', import.meta.url)));
