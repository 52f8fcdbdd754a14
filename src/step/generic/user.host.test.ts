import { describe, expect, test } from 'vitest';
import { check, io } from '../../../test/contract/bench.ts';
import { useOneHost } from '../../../test/rig/one-host.ts';
import { describeHosts, type RigHost } from '../../../test/rig/sshd.ts';
import type { LinkedMachine } from '../../host/machine.ts';
import type { Script } from '../../model/script.ts';
import type { AnyStep } from '../../plan/step.ts';
import { type User, user } from './user.ts';
import { type Group, group } from './user-group.ts';

/** All that tells who is who, but the copies that the tools keep of it. */
const PICTURE =
  'cat /etc/passwd /etc/group /etc/shadow /etc/gshadow /etc/subuid /etc/subgid 2>/dev/null; ls -lnd /srv/kx-* /home/* /var/mail/* 2>/dev/null | sed "s/ [0-9]* [A-Z][a-z][a-z] .*:.. / /"; true';

describeHosts('users and groups on a host', () => {
  let host: RigHost;
  let machine: LinkedMachine;
  useOneHost((one) => ({ host, machine } = one));

  const run = async (script: unknown): Promise<void> => {
    const output = await machine.run(script as Script);
    expect(output.code, output.stderr).toBe(0);
  };
  /** Applied, applied again, undone, undone again. */
  const contract = async (step: AnyStep, want: unknown, look: string, seen: string): Promise<void> => {
    const before = await host.exec(PICTURE);
    const first = await check(machine, step, want);
    expect(first.verdict).toBe('needed');
    await run(step.apply(machine, want, io));
    expect(await host.exec(look)).toBe(seen);
    expect((await check(machine, step, want)).verdict).toBe('satisfied');
    const applied = await host.exec(PICTURE);
    await run(step.apply(machine, want, io));
    expect(await host.exec(PICTURE)).toBe(applied);
    const found = JSON.parse(JSON.stringify('seen' in first ? first.seen : null)) as unknown;
    for (const _ of [1, 2]) await run(step.revert!(machine, want, found));
    expect(await host.exec(PICTURE)).toBe(before);
    expect(await check(machine, step, want)).toEqual(first);
  };

  describe('user', () => {
    test.each<[string, User, string, string, string]>([
      [
        'for a service',
        { name: 'kxetcd' },
        '',
        'getent passwd kxetcd | cut -d: -f7; id -gn kxetcd',
        '/usr/sbin/nologin\nkxetcd\n',
      ],
      [
        'with everything',
        {
          name: 'kxall',
          uid: 4242,
          group: 'daemon',
          groups: ['adm', 'tty'],
          home: '/srv/kx-home',
          createHome: true,
          shell: '/bin/sh',
          comment: "it's a test",
          system: false,
        },
        '',
        'getent passwd kxall; id -Gn kxall | xargs -n1 | sort | xargs; stat -c %U /srv/kx-home',
        "kxall:x:4242:1:it's a test:/srv/kx-home:/bin/sh\nadm daemon tty\nkxall\n",
      ],
      [
        'whose home is there already',
        { name: 'kxhome', home: '/srv/kx-old', createHome: true },
        'mkdir -p /srv/kx-old && echo keep >/srv/kx-old/f',
        'cat /srv/kx-old/f',
        'keep\n',
      ],
      [
        'that is there, in part',
        { name: 'kxold', shell: '/bin/sh', comment: 'new', groups: ['adm'] },
        'useradd -r -c old -G tty kxold',
        'getent passwd kxold | cut -d: -f5,7; id -Gn kxold | tr " " "\\n" | sort',
        'new:/bin/sh\nadm\nkxold\ntty\n',
      ],
      ['whose group is there already', { name: 'kxgrp' }, 'groupadd -r kxgrp', 'id -gn kxgrp', 'kxgrp\n'],
    ])('%s', async (_name, want, before, look, seen) => {
      await host.exec(`{ ${before || ':'}; } >/dev/null`);
      await contract(user.definition, want, look, seen);
    });
  });

  test('files of others in its home stay and are reported', async () => {
    const want: User = { name: 'kxguest', home: '/srv/kx-guest', createHome: true, system: false };
    await host.exec(
      'mkdir -p /etc/skel/.config && echo skel >/etc/skel/.config/kx && ln -sf kx /etc/skel/.config/kx-link',
    );
    const first = await check(machine, user.definition, want);
    const found = JSON.parse(JSON.stringify('seen' in first ? first.seen : null)) as never;
    await run(user.definition.apply(machine, want, io));
    await host.exec(
      'echo theirs >/srv/kx-guest/theirs; echo changed >>/srv/kx-guest/.profile; mkdir /srv/kx-guest/.config/mine',
    );
    for (const _ of [1, 2]) {
      const back = await machine.run(user.definition.revert!(machine, want, found) as Script);
      expect(back).toMatchObject({
        code: 0,
        reports: [{ type: 'left', text: '/srv/kx-guest stays: what is in it was not put there by this step' }],
      });
      expect(await host.exec('cd /srv/kx-guest && find . ! -name . | sort; getent passwd kxguest || true')).toBe(
        './.config\n./.config/mine\n./.profile\n./theirs\n',
      );
    }
    await host.exec('rm -r /srv/kx-guest');
    // Without anything of others nothing of it is left.
    await contract(user.definition, want, 'cat /srv/kx-guest/.config/kx-link', 'skel\n');
    await host.exec('rm -r /etc/skel/.config');
  });

  test.each<[string, Group, string, string]>([
    ['new', { name: 'kxg1', gid: 4711 }, ':', 'kxg1:x:4711:\n'],
    ['with another number', { name: 'kxg2', gid: 4712 }, 'groupadd -g 4000 kxg2', 'kxg2:x:4712:\n'],
  ])('group: %s', async (_name, want, before, seen) => {
    await host.exec(before);
    await contract(group.definition, want, `getent group ${want.name}`, seen);
  });
});
