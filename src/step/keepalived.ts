import { createHash } from 'node:crypto';
import type { Json } from '../model/json.ts';
import type { Wanted } from '../plan/ref.ts';
import { dedicated } from '../plan/step.ts';
import { keepalivedCheck, keepalivedConfig } from '../templates/keepalived.ts';
import { file, restartWhenUndone, service } from './generic/index.ts';
import { indented } from './load-balancer/proxy.ts';

const CONFIG = '/etc/keepalived/keepalived.conf';
const CHECK = '/etc/keepalived/kubexm-check';
const DIRECTORY = '/etc/keepalived';
const UNIT = 'keepalived';

/** What a host loses whose proxy is not healthy: more than the priorities of all hosts differ by. */
const WEIGHT = 60;

/** Where keepalived has its files. */
export const KEEPALIVED = { directory: DIRECTORY } as const;

/** A load balancer among others. */
export interface VirtualIp {
  readonly cluster: string;
  readonly host: string;
  /** The addresses of all load balancers, in the order of the file, and this one's. */
  readonly addresses: readonly string[];
  readonly own: string;
  readonly device: string;
  /** The virtual IP, and a second one of the other family. */
  readonly virtual: readonly string[];
}

/** Tells clusters on one network apart: 1 to 255. */
export function routerId(cluster: string): number {
  return (createHash('sha256').update(cluster).digest().readUInt32BE(0) % 255) + 1;
}

/** 120, 110 … 70, and from the seventh host on one less each: an unhealthy host always comes behind all healthy ones. */
export function priorityOf(index: number): number {
  return index < 6 ? 120 - 10 * index : Math.max(WEIGHT + 1, 70 - (index - 5));
}

/** Stands before what changes the configuration of a keepalived that may have been there before. */
export const noteKeepalived = dedicated(
  'note-keepalived',
  restartWhenUndone,
  'Lets a keepalived that ran before start again with its own configuration.',
  (_: object) => restartWhenUndone({ unit: UNIT }),
);

/** The script that keepalived asks whether the proxy is healthy. */
export const keepalivedScript = dedicated(
  'check',
  file,
  'The script by which keepalived asks the proxy of the same host.',
  ({ ask }: { readonly ask: string }) =>
    file({ path: CHECK, content: { template: keepalivedCheck, values: { ask } }, mode: '0755', owner: 'root:root' }),
);

/** The configuration of keepalived. */
export const keepalivedFile = dedicated(
  'keepalived-config',
  file,
  'The configuration of keepalived: peers, priority, virtual IP.',
  (params: VirtualIp) => file({ path: CONFIG, content: contentOf(params), mode: '0644', owner: 'root:root' }),
);

/** keepalived, running with the files that are there now. */
export const keepalivedService = dedicated(
  'keepalived',
  service,
  'keepalived, now and at every start; reloaded when its configuration changes.',
  ({ fingerprint }: { readonly fingerprint: Wanted<readonly Json[]> }) =>
    service({ unit: UNIT, enabled: true, running: 'started', reload: true, fingerprint, reads: [CONFIG, CHECK] }),
);

/** Peers are named: not every network lets multicast through. */
function contentOf({ cluster, host, addresses, own, device, virtual }: VirtualIp) {
  const peers = addresses.filter((address) => address !== own);
  const [first = '', ...more] = virtual.map(
    (address) => `${address}/${address.includes(':') ? 128 : 32} dev ${device}`,
  );
  return {
    template: keepalivedConfig,
    values: {
      router: host,
      script: CHECK,
      weight: WEIGHT,
      device,
      routerId: routerId(cluster),
      priority: priorityOf(addresses.indexOf(own)),
      peers: peers.length === 0 ? '' : indented(4, [`unicast_src_ip ${own}`, ...block('unicast_peer', peers)]),
      address: first,
      excluded: more.length === 0 ? '' : indented(4, block('virtual_ipaddress_excluded', more)),
    },
  };
}

function block(name: string, entries: readonly string[]): readonly string[] {
  return [`${name} {`, ...entries.map((entry) => `    ${entry}`), '}'];
}
