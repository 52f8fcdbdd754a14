import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { io } from '../../test/contract/bench.ts';
import { useOneHost } from '../../test/rig/one-host.ts';
import { addUser, describeHosts, type RigHost } from '../../test/rig/sshd.ts';
import { thorough } from '../../test/rig/thorough.ts';
import { rawScript, type Script } from '../model/script.ts';
import { copy } from '../step/generic/copy.ts';
import { file } from '../step/generic/file.ts';
import { symlink } from '../step/generic/symlink.ts';
import type { LinkedMachine } from './machine.ts';

const PLACE = '/srv/kx-test/hers';
/** Puts links to what is not hers in the place of every hidden name in her directory, as fast as she can. */
const HOSTILE = `
import os
victims = ['/srv/kx-test/secret', '/srv/kx-test/vault']
n = 0
os.chdir('${PLACE}')
while True:
    for name in os.listdir('.'):
        if name.startswith('.') or 'kept' in name:
            n += 1
            try:
                os.rename(name, 'junk%d' % n)
                os.symlink(victims[n % 2], name)
            except OSError:
                pass
`;

describeHosts('writing into a directory of somebody hostile', () => {
  let host: RigHost;
  let machine: LinkedMachine;
  let dir: string;
  useOneHost((one) => ({ host, machine } = one));
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-scratch-'));
    await addUser(host, { name: 'mallory', password: 'x', sudo: 'none' });
    await host.exec(`mkdir -p ${PLACE} /srv/kx-test/vault /srv/kx-test/source
      chmod 755 /srv /srv/kx-test; chown mallory ${PLACE}; echo secret >/srv/kx-test/secret; chmod 600 /srv/kx-test/secret
      echo x >/srv/kx-test/source/x`);
    await writeFile(join(dir, 'big'), randomBytes(200_000));
    await writeFile(join(dir, 'hostile.py'), HOSTILE);
    await machine.put(join(dir, 'hostile.py'), '/srv/kx-test/hostile.py');
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const script = (work: unknown): Promise<unknown> => machine.run(work as Script);
  const works: readonly (() => Promise<unknown>)[] = [
    () => machine.write(`${PLACE}/a`, 'mine', { owner: 'mallory', mode: '0666' }),
    () => machine.put(join(dir, 'big'), `${PLACE}/b`, { owner: 'mallory', mode: '0666' }),
    () => script(file.definition.apply(machine, { path: `${PLACE}/c`, content: 'c\n', owner: 'mallory' }, io)),
    () => script(symlink.definition.apply(machine, { path: `${PLACE}/l`, target: 'c' }, io)),
    () =>
      script(
        copy.definition.apply(machine, { source: '/srv/kx-test/source', path: `${PLACE}/d`, owner: 'mallory' }, io),
      ),
    () =>
      script(
        rawScript(`kx_save k ${PLACE}/u; echo after >${PLACE}/u; kx_own_end k; echo theirs >${PLACE}/u
        kx_restore k; kx_undo_drop k`),
      ),
  ];
  const victims = (): Promise<string> =>
    host.exec('cd /srv/kx-test && cat secret && stat -c "%a %U %n" secret vault source/x && ls -A vault');

  test('nothing of anybody else is ever touched, however often she tries', async () => {
    await host.exec(`echo before >${PLACE}/u`);
    const before = await victims();
    await host.exec(
      'cd /; su -s /bin/sh mallory -c "setsid python3 /srv/kx-test/hostile.py >/dev/null 2>&1 & echo \\$!" >/srv/kx-test/pid',
    );
    for (let round = 0; round < (thorough ? 12 : 4); round++) {
      // She may make them fail: that is all that she can do.
      await Promise.allSettled(works.map((work) => work()));
      expect(await victims()).toBe(before);
    }
    await host.exec('kill $(cat /srv/kx-test/pid)');
    await host.exec(`find ${PLACE} -mindepth 1 -delete; echo before >${PLACE}/u`);
    for (const work of works) await work();
    expect(await victims()).toBe(before);
    expect(await host.exec(`cd ${PLACE} && ls -A && stat -c '%a %U' a b c d/x && cat u l`)).toBe(
      'a\nb\nc\nd\nl\nu\nu.kubexm-kept\n666 mallory\n666 mallory\n644 mallory\n644 mallory\nbefore\nc\n',
    );
  });

  test('a link of hers on the way leads nowhere; links of root do', async () => {
    await host.exec(`cd /srv/kx-test && find hers -mindepth 1 -delete
      su -s /bin/sh mallory -c "mkdir ${PLACE}/real; ln -s /srv/kx-test/vault ${PLACE}/sub"
      ln -sfn hers by-root; yes big | head -n 20000 >vault/x; chmod 600 vault/x`);
    const same = Buffer.from('big\n'.repeat(20_000));
    const name = (dir: string) => `${PLACE}/${dir}/x`;
    const before = await victims();
    for (const dir of ['sub', 'sub/../sub', 'real/../sub']) {
      const attempts = [
        machine.write(name(dir), 'mine', { owner: 'mallory' }),
        // The very same content is there already: it must not get her as its owner.
        machine.write(name(dir), same, { owner: 'mallory', mode: '0666' }),
      ];
      for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'KX3032' });
    }
    expect(await victims()).toBe(before);
    expect(await host.exec('stat -c "%a %U" /srv/kx-test/vault/x')).toBe('600 root\n');
    // A directory of hers, also by a link that root made.
    await machine.write('/srv/kx-test/by-root/real/x', 'mine', { owner: 'mallory', mode: '0640' });
    await machine.write(`${PLACE}/real/y`, same, { owner: 'mallory' });
    await machine.write(`${PLACE}/real/y`, same, { owner: 'mallory', mode: '0600' });
    expect(await host.exec(`cd ${PLACE}/real && ls -A && stat -c '%a %U' x y`)).toBe(
      'x\ny\n640 mallory\n600 mallory\n',
    );
  });
});
