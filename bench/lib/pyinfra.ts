import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchHosts } from './hosts.ts';
import { type Item, items } from './tree.ts';

/** A deploy of the same twenty things, for pyinfra. */
export function writePyinfra(
  dir: string,
  root: string,
  hosts: BenchHosts,
): { readonly inventory: string; readonly deploy: string } {
  const inventory = join(dir, 'inventory.py');
  const host = (one: BenchHosts['hosts'][number]) =>
    JSON.stringify([
      one.name,
      {
        ssh_hostname: hosts.address,
        ssh_port: one.port,
        ssh_user: hosts.user,
        ssh_key: hosts.keyFile,
        ssh_known_hosts_file: hosts.knownHosts,
        ssh_config_file: '/dev/null',
      },
    ]).replace(/^\[(.*)\]$/s, '($1)');
  writeFileSync(inventory, `nodes = [\n${hosts.hosts.map((one) => `    ${host(one)},`).join('\n')}\n]\n`);
  const deploy = join(dir, 'deploy.py');
  const lines = ['from io import StringIO', 'from pyinfra.operations import files', ...items(root).map(operation)];
  writeFileSync(deploy, `${lines.join('\n')}\n`);
  return { inventory, deploy };
}

/** JSON strings, numbers and lists are Python's too. */
function operation(item: Item): string {
  const py = (value: unknown) => JSON.stringify(value);
  switch (item.kind) {
    case 'directory':
      return `files.directory(path=${py(item.path)}, mode=${py(item.mode.slice(1))})`;
    case 'file':
      return `files.put(src=StringIO(${py(item.content)}), dest=${py(item.path)}, mode=${py(item.mode.slice(1))})`;
    case 'link':
      return `files.link(path=${py(item.path)}, target=${py(item.target)})`;
    case 'block':
      return `files.block(path=${py(item.path)}, content=${py(item.lines)})`;
    case 'absent':
      return `files.file(path=${py(item.path)}, present=False)`;
    case 'mode':
      return `files.directory(path=${py(item.path)}, mode=${py(item.mode.slice(1))})`;
  }
}
