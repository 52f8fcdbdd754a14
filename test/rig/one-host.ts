import { afterAll, beforeAll } from 'vitest';
import { connectMachine } from '../../src/host/connect.ts';
import type { LinkedMachine } from '../../src/host/machine.ts';
import { type Rig, type RigHost, startRig } from './sshd.ts';

/** A host of a rig and a connection to it. */
export interface OneHost {
  readonly host: RigHost;
  readonly machine: LinkedMachine;
}

/** One host for all tests of a suite, gone behind them. `ready` is given it before the first. */
export function useOneHost(ready: (one: OneHost) => unknown, options: { readonly init?: 'systemd' } = {}): void {
  let rig: Rig | undefined;
  let machine: LinkedMachine | undefined;
  beforeAll(async () => {
    rig = await startRig(options);
    const host = rig.hosts[0] as RigHost;
    machine = await connectMachine(host.target(), { reconnectMs: 8000 });
    await ready({ host, machine });
  }, 60_000);
  afterAll(async () => {
    await machine?.close();
    await rig?.close();
  });
}
