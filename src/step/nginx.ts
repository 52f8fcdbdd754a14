import { dedicated } from '../plan/step.ts';
import { nginxConfig } from '../templates/nginx.ts';
import { file } from './generic/index.ts';
import {
  IDLE,
  indented,
  type ProxySettings,
  type ProxySteps,
  proxyService,
  proxyServiceNote,
  socketAddress,
} from './load-balancer/proxy.ts';
import { type ProxyPod, proxyPod, staticPodFile } from './load-balancer/static-pod.ts';

const POD_CONFIG = '/etc/kubexm/nginx/nginx.conf';
const SERVICE_CONFIG = '/etc/nginx/nginx.conf';
const UNIT = 'nginx';
const POD = 'nginx-proxy';
/** Files that are no connections. */
const RESERVE = 100;

const podConfig = dedicated('config', file, 'The configuration of nginx on a worker.', (settings: ProxySettings) =>
  file({ path: POD_CONFIG, content: contentOf(settings, 'pod'), mode: '0644', owner: 'root:root' }),
);

const serviceConfig = dedicated(
  'config',
  file,
  'The configuration of nginx on a load balancer.',
  (settings: ProxySettings) =>
    file({ path: SERVICE_CONFIG, content: contentOf(settings, 'service'), mode: '0644', owner: 'root:root' }),
);

const pod = dedicated('pod', file, 'nginx as a static pod.', (params: ProxyPod) =>
  staticPodFile(
    POD,
    proxyPod({
      ...params,
      name: POD,
      config: POD_CONFIG,
      mountPath: '/etc/nginx/nginx.conf',
      // Its workers run as a user of their own.
      capabilities: ['SETGID', 'SETUID'],
      probe: { tcpSocket: { host: params.healthAddress, port: params.healthPort } },
    }),
  ),
);

/** nginx in front of the API servers. */
export const nginxSteps: ProxySteps = {
  pod: { name: POD, directory: '/etc/kubexm/nginx', config: podConfig, manifest: pod },
  service: {
    note: proxyServiceNote(UNIT),
    config: serviceConfig,
    running: proxyService(UNIT, SERVICE_CONFIG),
    ask: ({ healthAddress, healthPort }) =>
      `socat -u -T 2 TCP:${socketAddress(healthAddress, healthPort)} - | grep -qx ok`,
  },
};

/** As a service nginx runs as the user that its package was built for. */
function contentOf(settings: ProxySettings, place: 'pod' | 'service') {
  const { masters, apiPort, addresses, port, connections, healthAddress, healthPort } = settings;
  const isService = place === 'service';
  const listen = (address: string) =>
    `listen ${socketAddress(address, port)}${address.includes(':') ? ' ipv6only=on' : ''} so_keepalive=on;`;
  return {
    template: nginxConfig,
    values: {
      account: isService ? '' : 'user nginx;\n',
      workers: isService ? 'auto' : 2,
      // Each connection has a side to the client and one to a master.
      files: 2 * connections + RESERVE,
      connections: 2 * connections,
      idle: IDLE,
      listens: indented(8, addresses.map(listen)),
      servers: indented(
        8,
        masters.map(({ address }) => `server ${socketAddress(address, apiPort)} max_fails=1 fail_timeout=5s;`),
      ),
      health: socketAddress(healthAddress, healthPort),
    },
  };
}
