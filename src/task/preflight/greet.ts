import type { Text } from '../../model/errors/index.ts';
import { on } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import { greet } from '../../step/preflight/index.ts';

const LOGO = String.raw` _  __     _         __  ____  __
| |/ /   _| |__   ___\ \/ /  \/  |
| ' / | | | '_ \ / _ \\  /| |\/| |
| . \ |_| | |_) |  __//  \| |  | |
|_|\_\__,_|_.__/ \___/_/\_\_|  |_|
`;

/** Says who is at work, and on what. */
export const greetTask = defineTask({
  name: 'preflight/greet',
  description: 'Say who is at work, and on what.',
  tags: ['preflight', 'greeting'],
  steps: [greet],
  plan: (context) => on(context.local, greet({ text: greeting(context) })),
});

function greeting({ cluster, hosts, unreachable = {} }: PlanContext): Text {
  const { metadata, spec } = cluster;
  const { version, containerRuntime } = spec.kubernetes;
  const what = `${metadata.name} · Kubernetes ${version} · ${containerRuntime.type} · ${spec.network.plugin}`;
  const arches = [...new Set(hosts.map(({ facts }) => facts.arch))].join('/');
  const count = hosts.length + Object.keys(unreachable).length;
  const machines = { en: `hosts: ${count} (${arches})`, zh: `主机：${count}（${arches}）` };
  return { en: `${what} · ${machines.en}\n${LOGO}`, zh: `${what} · ${machines.zh}\n${LOGO}` };
}
