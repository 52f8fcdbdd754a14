import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHosts, type Rig, type RigHost, startRig } from '../../test/rig/sshd.ts';
import { sh } from '../model/script.ts';
import { connectMachine } from './connect.ts';

const PATH = '/srv/kx-test/program';
const FALSE = 'f'.repeat(64);
const LOOK = sh`kx_sha256 ${PATH}`;

describeHosts('what a host knows of a big file', () => {
  let rig: Rig;
  let host: RigHost;
  const content = randomBytes(5_000_000);
  const digest = createHash('sha256').update(content).digest('hex');

  beforeAll(async () => {
    rig = await startRig();
    host = rig.hosts[0] as RigHost;
  });
  afterAll(() => rig.close());

  /** What a run sees that comes later. */
  const look = async (): Promise<string> => {
    const machine = await connectMachine(host.target());
    const [answer] = await machine.batch([LOOK]);
    await machine.close();
    return answer?.stdout.trim() ?? '';
  };
  const send = async (): Promise<void> => {
    const file = join(rig.dir, 'program');
    await writeFile(file, content);
    const machine = await connectMachine(host.target());
    await machine.put(file, PATH, { mode: '0755', owner: 'root:root', sha256: digest });
    await machine.close();
  };
  const falsify = () => host.exec(`sed -i 's/^${digest}$/${FALSE}/' /run/kubexm/sums/*`);

  test('a later run does not read it again, in the same boot and while nothing happens to it', async () => {
    await host.exec('mkdir -p /var/lib/kubexm/manifest');
    await send();
    await falsify();
    expect(await look()).toBe(FALSE);
    await host.exec(`sed -i 's/^[0-9a-f]\\{8\\}-/00000000-/' /run/kubexm/sums/*`);
    expect(await look()).toBe(digest);
  });

  test('a changed byte is seen, though size and time of writing are put back', async () => {
    await host.exec(`rm -f ${PATH}`);
    await send();
    await falsify();
    expect(await look()).toBe(FALSE);
    await host.exec(
      `touch -r ${PATH} /tmp/t; printf '\\377\\376' | dd of=${PATH} bs=1 seek=77 conv=notrunc 2>/dev/null; touch -r /tmp/t ${PATH}`,
    );
    expect(await look()).toBe((await host.exec(`sha256sum <${PATH}`)).slice(0, 64));
    await send();
    expect((await host.exec(`sha256sum <${PATH}`)).slice(0, 64)).toBe(digest);
  });

  test('a machine that belongs to no cluster keeps nothing', async () => {
    await host.exec(`rm -rf /var/lib/kubexm ${PATH}`);
    await send();
    expect(await host.exec('ls -d /run/kubexm /var/lib/kubexm 2>/dev/null || true')).toBe('');
  });
});
