import { haproxyConfig } from '../templates/haproxy.ts';
import { IDLE, indented, type ProxySettings, proxySteps, socketAddress } from './load-balancer/proxy.ts';

/** haproxy in front of the API servers. */
export const haproxySteps = proxySteps({
  name: 'haproxy',
  pod: 'haproxy',
  file: 'haproxy.cfg',
  mountPath: '/usr/local/etc/haproxy/haproxy.cfg',
  capabilities: [],
  content: contentOf,
  probe: ({ healthAddress, healthPort }) => ({
    httpGet: { host: healthAddress, port: healthPort, path: '/healthz', scheme: 'HTTP' },
  }),
  ask: ({ healthAddress, healthPort }) =>
    `printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' | socat -T 2 - TCP:${socketAddress(healthAddress, healthPort)} | grep -q '^HTTP/1.[01] 200 '`,
});

function contentOf(settings: ProxySettings, place: 'pod' | 'service') {
  const { masters, apiPort, addresses, port, connections, healthAddress, healthPort } = settings;
  const isService = place === 'service';
  const bind = (address: string) => `bind ${socketAddress(address, port)}${address.includes(':') ? ' v6only' : ''}`;
  return {
    template: haproxyConfig,
    values: {
      // Old versions cannot log to their output, and containers have no other place.
      log: isService ? '/dev/log' : 'stdout format raw',
      connections,
      account: isService ? '    user haproxy\n    group haproxy\n' : '',
      idle: IDLE,
      binds: indented(4, addresses.map(bind)),
      servers: indented(
        4,
        masters.map(({ name, address }) => `server ${name} ${socketAddress(address, apiPort)}`),
      ),
      health: socketAddress(healthAddress, healthPort),
      // Another load balancer may still reach a master. A pod that restarts reaches none either.
      monitor: isService ? '    monitor fail if { nbsrv(masters) lt 1 }\n' : '',
    },
  };
}
