import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeStale } from '../../test/lab/fixture.ts';

// Started by a benchmark that was stopped: once it has ended, its labs belong to nobody and are removed.
const [pid = ''] = process.argv.slice(2);
for (let tries = 0; tries < 300 && existsSync(`/proc/${pid}`); tries++) await sleep(100);
await removeStale();
