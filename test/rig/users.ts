import { readFile, writeFile } from 'node:fs/promises';
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
  const home = `/home/${user.name}`;
  // Without a password, but not locked: sshd lets locked users in by no key.
  await host.exec(`useradd -m -p '*' -s ${user.shell ?? '/bin/bash'} ${user.name}`);
  if (user.password !== undefined) {
    await writeFile(host.path('/root/pw'), `${user.name}:${user.password}\n`, { mode: 0o600 });
    await host.exec('chpasswd </root/pw; rm /root/pw');
  }
  await host.exec(`mkdir -p -m 700 ${home}/.ssh`);
  if (user.publicKey) await writeFile(host.path(`${home}/.ssh/authorized_keys`), await readFile(user.publicKey));
  if (user.bashrc !== undefined) await writeFile(host.path(`${home}/.bashrc`), user.bashrc);
  await host.exec(`chown -R ${user.name}: ${home}`);
  const { sudo = 'none' } = user;
  if (sudo === 'none') return;
  const rule = [
    ...(sudo.endsWith('tty') ? [`Defaults:${user.name} requiretty`] : []),
    `${user.name} ALL=(ALL) ${sudo.startsWith('nopasswd') ? 'NOPASSWD: ' : ''}ALL`,
  ];
  await writeFile(host.path(`/etc/sudoers.d/${user.name}`), `${rule.join('\n')}\n`, { mode: 0o440 });
}
