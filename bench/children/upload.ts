import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectMachine } from '../../src/host/index.ts';
import { answer, arg } from './child.ts';

/** Logs in to hosts and sends them a file, all at once. */
const ports = arg('ports').split(',').map(Number);
const started = performance.now();
await Promise.all(
  ports.map(async (port, i) => {
    const machine = await connectMachine({
      name: `host${i + 1}`,
      address: arg('address'),
      port,
      user: arg('user'),
      auth: { privateKey: readFileSync(arg('key'), 'utf8') },
      hostKeys: { pinFile: join(arg('dir'), 'pinned'), files: [arg('known')], policy: 'strict' },
      bastions: [],
    });
    await machine.put(arg('source'), arg('path'), { sha256: arg('sha256'), mode: '0644' });
    await machine.close();
  }),
);
answer({ sendSeconds: (performance.now() - started) / 1000 });
