/** One thing that a host is to have, in words that all contestants understand. */
export type Item =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: string; readonly mode: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'block'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'absent'; readonly path: string }
  | { readonly kind: 'mode'; readonly path: string; readonly mode: string };

/** Twenty things as a node of a cluster has them: directories, files, links, blocks in files of others, leftovers to remove. */
export function items(root: string): readonly Item[] {
  const directories = ['etc', 'etc/ssl', 'bin', 'state', 'cache'].map(
    (name): Item => ({ kind: 'directory', path: `${root}/${name}`, mode: '0755' }),
  );
  const files = ['sysctl', 'modules', 'unit', 'config', 'kubelet', 'containerd', 'crictl'].map(
    (name, i): Item => ({
      kind: 'file',
      path: `${root}/etc/${name}.conf`,
      content: Array.from({ length: 20 }, (_, k) => `${name}.setting-${k} = ${i * 100 + k}\n`).join(''),
      mode: '0644',
    }),
  );
  const links = ['config', 'kubelet', 'unit'].map(
    (name): Item => ({ kind: 'link', path: `${root}/state/${name}`, target: `${root}/etc/${name}.conf` }),
  );
  const blocks = ['hosts', 'profile'].map(
    (name): Item => ({
      kind: 'block',
      path: `${root}/cache/${name}`,
      lines: [`192.0.2.10 ${name}1`, `192.0.2.11 ${name}2`],
    }),
  );
  const leftovers = ['old.conf', 'older.conf'].map((name): Item => ({ kind: 'absent', path: `${root}/etc/${name}` }));
  return [
    ...directories,
    ...files,
    ...links,
    ...blocks,
    ...leftovers,
    { kind: 'mode', path: `${root}/bin`, mode: '0755' },
  ];
}
