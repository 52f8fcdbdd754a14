import { dedicated } from '../plan/step.ts';
import { haproxyConfig } from '../templates/haproxy.ts';
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

const POD_CONFIG = '/etc/kubexm/haproxy/haproxy.cfg';
const SERVICE_CONFIG = '/etc/haproxy/haproxy.cfg';
const UNIT = 'haproxy';

const podConfig = dedicated('config', file, 'The configuration of haproxy on a worker.', (settings: ProxySettings) =>
  file({ path: POD_CONFIG, content: contentOf(settings, 'pod'), mode: '0644', owner: 'root:root' }),
);

const serviceConfig = dedicated(
  'config',
  file,
  'The configuration of haproxy on a load balancer.',
  (settings: ProxySettings) =>
    file({ path: SERVICE_CONFIG, content: contentOf(settings, 'service'), mode: '0644', owner: 'root:root' }),
);

const pod = dedicated('pod', file, 'haproxy as a static pod.', (params: ProxyPod) =>
  staticPodFile(
    'haproxy',
    proxyPod({
      ...params,
      name: 'haproxy',
      config: POD_CONFIG,
      mountPath: '/usr/local/etc/haproxy/haproxy.cfg',
      capabilities: [],
      probe: {
        httpGet: { host: params.healthAddress, port: params.healthPort, path: '/healthz', scheme: 'HTTP' },
      },
    }),
  ),
);

/** haproxy in front of the API servers. */
export const haproxySteps: ProxySteps = {
  pod: { name: 'haproxy', directory: '/etc/kubexm/haproxy', config: podConfig, manifest: pod },
  service: {
    note: proxyServiceNote(UNIT),
    config: serviceConfig,
    running: proxyService(UNIT, SERVICE_CONFIG),
    ask: ({ healthAddress, healthPort }) =>
      `printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' | socat -T 2 - TCP:${socketAddress(healthAddress, healthPort)} | grep -q '^HTTP/1.[01] 200 '`,
  },
};

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
