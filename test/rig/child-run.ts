/**
 * A kubexm in a process of its own, to be killed by a test: connects, takes the lock, starts a job or a command.
 * Usage: child-run.ts TARGET_JSON OWNER_JSON ACTION SCRIPT; prints a line when it has begun.
 */
import { connectMachine } from '../../src/host/index.ts';
import type { LockOwner } from '../../src/model/host.ts';
import { rawScript } from '../../src/model/script.ts';

const [target = '', owner = '', action = '', script = ''] = process.argv.slice(2);
const machine = await connectMachine(JSON.parse(target));
await machine.lock({ ...(JSON.parse(owner) as LockOwner), pid: process.pid });
console.log('locked');
if (action === 'job') await machine.job({ key: 'child', script: rawScript(script), timeoutSeconds: 60 });
if (action === 'run') await machine.run(rawScript(script));
console.log('done');
setInterval(() => undefined, 1000);
