import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchHosts } from './hosts.ts';
import { type Item, items } from './tree.ts';

/** A play of the same twenty things, for ansible. Facts are not gathered: kubexm gathers them, so this favours ansible. */
export function writeAnsible(
  dir: string,
  root: string,
  hosts: BenchHosts,
): { readonly playbook: string; readonly config: string; readonly sockets: string } {
  const host = (one: BenchHosts['hosts'][number]) =>
    `${one.name} ansible_host=${hosts.address} ansible_port=${one.port} ansible_user=${hosts.user} ` +
    `ansible_ssh_private_key_file=${hosts.keyFile} ansible_python_interpreter=/usr/bin/python3`;
  writeFileSync(join(dir, 'inventory'), `[all]\n${hosts.hosts.map(host).join('\n')}\n`);
  const play = {
    hosts: 'all',
    gather_facts: false,
    tasks: items(root).map((item) => ({ name: `${item.kind} ${item.path}`, ...task(item) })),
  };
  const playbook = join(dir, 'playbook.yml');
  writeFileSync(playbook, `${JSON.stringify([play], undefined, 1)}\n`);
  const config = join(dir, 'ansible.cfg');
  const sockets = join(dir, 'cp');
  const lines = [
    '[defaults]',
    `inventory = ${join(dir, 'inventory')}`,
    'forks = 25',
    'retry_files_enabled = False',
    `local_tmp = ${join(dir, 'tmp')}`,
    'nocows = True',
    '[ssh_connection]',
    'pipelining = True',
    // As ansible has it by default, with the bench's own known_hosts and without the person's settings.
    `ssh_args = -F /dev/null -C -o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=${hosts.knownHosts}`,
    `control_path_dir = ${sockets}`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  return { playbook, config, sockets };
}

function task(item: Item): Readonly<Record<string, unknown>> {
  switch (item.kind) {
    case 'directory':
      return { 'ansible.builtin.file': { path: item.path, state: 'directory', mode: item.mode } };
    case 'file':
      return { 'ansible.builtin.copy': { dest: item.path, content: item.content, mode: item.mode } };
    case 'link':
      return { 'ansible.builtin.file': { path: item.path, src: item.target, state: 'link' } };
    case 'block':
      return {
        'ansible.builtin.blockinfile': { path: item.path, block: item.lines.join('\n'), create: true, mode: '0644' },
      };
    case 'absent':
      return { 'ansible.builtin.file': { path: item.path, state: 'absent' } };
    case 'mode':
      return { 'ansible.builtin.file': { path: item.path, mode: item.mode } };
  }
}
