import { nginxConfig } from '../templates/nginx.ts';
import { IDLE, indented, type ProxySettings, proxySteps, socketAddress } from './load-balancer/proxy.ts';

/** Files that are no connections. */
const RESERVE = 100;

/** nginx in front of the API servers. */
export const nginxSteps = proxySteps({
  name: 'nginx',
  pod: 'nginx-proxy',
  file: 'nginx.conf',
  mountPath: '/etc/nginx/nginx.conf',
  // Its workers run as a user of their own.
  capabilities: ['SETGID', 'SETUID'],
  content: contentOf,
  probe: ({ healthAddress, healthPort }) => ({ tcpSocket: { host: healthAddress, port: healthPort } }),
  ask: ({ healthAddress, healthPort }) =>
    `socat -u -T 2 TCP:${socketAddress(healthAddress, healthPort)} - | grep -qx ok`,
});

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
