import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMachine } from '../../src/host/connect.ts';
import type { LinkedMachine } from '../../src/host/machine.ts';
import { captureMachine, type MachineSnapshot } from '../../src/lab/diff/index.ts';
import { BINARY, type StateCase } from '../contract/case.ts';
import { stateCases } from '../contract/cases.ts';
import { meetsContract } from '../contract/procedure.ts';
import { some } from '../rig/thorough.ts';
import { LOGIN, targetBehind } from './behind-bastion.ts';
import { changesOn } from './changes.ts';
import { describeLab, type TestLab, withLab } from './fixture.ts';

/** Keys and certificates are made on the machine kubexm runs on, and nowhere else. */
const LOCAL_ONLY: ReadonlySet<string> = new Set([
  'certificate',
  'certificateAuthority',
  'clientKubeconfig',
  'encryptionConfig',
  'keyPair',
]);
const remoteCases = stateCases.filter(({ step }) => !LOCAL_ONLY.has(step.kind));

/** The same cases as in the shells of this box, on a bare machine, behind a bastion and a sudo password; what the steps touch is seen from both sides. */
describeLab('state steps on a lab machine', () => {
  const place = join(tmpdir(), `kubexm-contract-lab-${process.pid}`);
  let lab: TestLab;
  let machine: LinkedMachine;
  let server: Server;
  let url: string;
  let before: MachineSnapshot;
  let count = 0;

  beforeAll(async () => {
    lab = await withLab(2, LOGIN);
    const { name, rootDir, address } = await lab.machine(2);
    await lab.exec(2, `mkdir ${place}`);
    before = await captureMachine(name, { env: lab.env });
    // A name that leads to the same directory there and here.
    symlinkSync(`${rootDir}${place}`, place);
    server = createServer((_request, response) => {
      response.setHeader('content-length', BINARY.length);
      response.end(BINARY);
    });
    const bridge = address.replace(/\.\d+$/, '.1');
    await new Promise<void>((resolve) => server.listen(0, bridge, resolve));
    url = `http://${bridge}:${(server.address() as AddressInfo).port}`;
    machine = await connectMachine(await targetBehind(lab, 2), { sudoPassword: LOGIN.sudoPassword });
  }, 600_000);
  afterAll(async () => {
    await machine?.close();
    server?.close();
    rmSync(place, { force: true });
    await lab?.close();
  }, 60_000);

  /** Tools that make what a case needs, on this box, or that the machine would need. */
  async function missing(one: StateCase): Promise<string> {
    const tools = [...(one.step.kind === 'download' ? ['curl'] : []), ...(one.needs ?? [])];
    if (tools.length === 0) return '';
    const found = await lab.exec(
      1,
      `for tool in ${tools.join(' ')}; do command -v $tool >/dev/null || echo $tool; done`,
    );
    return found.trim().replace(/\s+/g, ', ');
  }

  test.for(some(remoteCases, 40).map((one) => [`${one.step.kind}: ${one.name}`, one] as const))(
    '%s',
    async ([, one], context) => {
      const tools = await missing(one);
      if (tools !== '') return context.skip(`a bare machine has no ${tools}`);
      const scratch = join(place, `case-${++count}`);
      const [tree, work] = [join(scratch, 'tree'), join(scratch, 'work')];
      mkdirSync(tree, { recursive: true });
      mkdirSync(work);
      await meetsContract(one, machine, { tree, work, url });
      rmSync(scratch, { recursive: true });
    },
  );

  test('and the machine is as before', async () => {
    await machine.close();
    expect(await changesOn(before.machine, { env: lab.env, since: before, ignoreRemains: false })).toEqual([]);
  });
});
