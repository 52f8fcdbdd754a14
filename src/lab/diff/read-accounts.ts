import { createHash } from 'node:crypto';
import type { Entries, Facet } from './types.ts';

/** Installed packages, and those of which only the configuration is left, with their marks. */
export function readPackages(list: string, marks: string): Entries {
  const auto = new Set(
    marks
      .split(/\n\n+/)
      .filter((stanza) => /^Auto-Installed: 1$/m.test(stanza))
      .map((stanza) => /^Package: (.*)$/m.exec(stanza)?.[1] ?? ''),
  );
  const rows = fieldsOf(list, '\t').filter(([name, , , , status]) => name && status && status !== 'not-installed');
  const twice = new Set(rows.map(([name]) => name).filter((name, i, all) => all.indexOf(name) !== i));
  return new Map(
    rows.map(([name = '', arch = '', version = '', want = '', status = '']): [string, Facet] => [
      twice.has(name) ? `${name}:${arch}` : name,
      { version, status, ...(want === 'hold' ? { hold: 'yes' } : {}), mark: auto.has(name) ? 'auto' : 'manual' },
    ]),
  );
}

/** The files that users are kept in. */
export interface UserFiles {
  readonly passwd: string;
  readonly shadow: string;
  readonly subuid: string;
  readonly subgid: string;
}

/** Users by name. Passwords are compared by their digest alone. */
export function readUsers(files: UserFiles): Entries {
  const shadow = new Map(fieldsOf(files.shadow, ':').map((fields) => [fields[0] ?? '', fields]));
  const ranges = (text: string) => new Map(fieldsOf(text, ':').map(([name = '', ...range]) => [name, range.join('+')]));
  const subuid = ranges(files.subuid);
  const subgid = ranges(files.subgid);
  return new Map(
    fieldsOf(files.passwd, ':').map(([name = '', , uid = '', gid = '', gecos = '', home = '', shell = '']) => {
      // The third field is the day of the last change: it says nothing that the password does not.
      const [, password = '', , ...limits] = shadow.get(name) ?? [];
      const facet: Facet = {
        uid,
        gid,
        gecos,
        home,
        shell,
        password: secretDigest(password),
        limits: limits.join(':'),
        ...optional('subuid', subuid.get(name)),
        ...optional('subgid', subgid.get(name)),
      };
      return [name, facet];
    }),
  );
}

/** Groups by name, with their members. */
export function readGroups(group: string, gshadow: string): Entries {
  const admins = new Map(
    fieldsOf(gshadow, ':').map(([name = '', password = '', admin = '']) => [name, [password, admin]]),
  );
  return new Map(
    fieldsOf(group, ':').map(([name = '', , gid = '', members = '']) => {
      const [password = '', admin = ''] = admins.get(name) ?? [];
      const facet: Facet = {
        gid,
        members: members.split(',').sort().join(','),
        password: secretDigest(password),
        ...optional('admins', admin === '' ? undefined : admin),
      };
      return [name, facet];
    }),
  );
}

function secretDigest(password: string): string {
  if (password === '') return 'none';
  if (/^[!*]+$/.test(password)) return 'locked';
  return `sha256:${createHash('sha256').update(password).digest('hex').slice(0, 16)}`;
}

function fieldsOf(text: string, separator: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(separator));
}

function optional(name: string, value: string | undefined): Facet {
  return value === undefined ? {} : { [name]: value };
}
