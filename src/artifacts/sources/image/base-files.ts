import type { TreeItem } from '../../oci/index.ts';

const ROOT = { name: 'root', id: 0, home: '/root' };
const NONROOT = { name: 'nonroot', id: 65532, home: '/' };
const NOBODY = { name: 'nobody', id: 65534, home: '/' };

/** What programs expect wherever they run: who is who, where names are looked up, a place for temporary files. */
export function baseFiles(users: Readonly<Record<string, number>>): readonly TreeItem[] {
  const own = Object.entries(users).map(([name, id]) => ({ name, id, home: '/' }));
  const all = [ROOT, ...own, NONROOT, NOBODY].sort((a, b) => a.id - b.id);
  const passwd = all.map(({ name, id, home }) => `${name}:x:${id}:${id}:${name}:${home}:/usr/sbin/nologin\n`);
  const group = all.map(({ name, id }) => `${id === NOBODY.id ? 'nogroup' : name}:x:${id}:\n`);
  return [
    // Where runtimes mount their own: a root that is read-only from the start must have them.
    ...['dev', 'proc', 'sys'].map((path) => ({ path, directory: true as const })),
    { path: 'etc/group', data: group.join('') },
    // Without it Go's resolver asks DNS before /etc/hosts.
    { path: 'etc/nsswitch.conf', data: 'passwd: files\ngroup: files\nhosts: files dns\n' },
    { path: 'etc/passwd', data: passwd.join('') },
    { path: 'root', directory: true, mode: 0o700 },
    { path: 'run', directory: true },
    { path: 'tmp', directory: true, mode: 0o1777 },
  ];
}
