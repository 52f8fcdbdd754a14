import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RigHost } from './sshd.ts';

/** What sudo lets a user do. `tty`: with a password, and only from a terminal. */
export type SudoKind = 'none' | 'password' | 'nopasswd' | 'tty' | 'nopasswd-tty';

/** A user to make on a host. */
export interface RigUser {
  readonly name: string;
  readonly password?: string;
  readonly sudo?: SudoKind;
  /** The login shell. Default /bin/bash. */
  readonly shell?: string;
  /** What its .bashrc prints and does. */
  readonly bashrc?: string;
  /** A public key file that lets it in. */
  readonly publicKey?: string;
}

/** Makes a user on one host only: the machine under it does not change. */
export async function addUser(host: RigHost, user: RigUser): Promise<void> {
  const stage = host.path('/root/kx-user');
  await mkdir(stage, { mode: 0o700 });
  if (user.password !== undefined) await writeFile(join(stage, 'password'), `${user.name}:${user.password}\n`);
  if (user.publicKey) await copyFile(user.publicKey, join(stage, 'key'));
  if (user.bashrc !== undefined) await writeFile(join(stage, 'bashrc'), user.bashrc);
  // Without a password, but not locked: sshd lets locked users in by no key.
  await host.exec(`set -e
    useradd -m -p '*' -s ${user.shell ?? '/bin/bash'} ${user.name}
    cd /root/kx-user
    [ ! -e password ] || chpasswd <password
    mkdir -p -m 700 /home/${user.name}/.ssh
    [ ! -e key ] || cp key /home/${user.name}/.ssh/authorized_keys
    [ ! -e bashrc ] || cp bashrc /home/${user.name}/.bashrc
    chown -R ${user.name}: /home/${user.name}
    rm -r /root/kx-user`);
  const { sudo = 'none' } = user;
  if (sudo === 'none') return;
  const rule = [
    ...(sudo.endsWith('tty') ? [`Defaults:${user.name} requiretty`] : []),
    `${user.name} ALL=(ALL) ${sudo.startsWith('nopasswd') ? 'NOPASSWD: ' : ''}ALL`,
  ];
  await writeFile(host.path(`/etc/sudoers.d/${user.name}`), `${rule.join('\n')}\n`, { mode: 0o440 });
}
