import { hostsOf } from '../../model/cluster/cluster.ts';
import { nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import {
  KEEPALIVED,
  keepalivedFile,
  keepalivedScript,
  keepalivedService,
  noteKeepalived,
  type VirtualIp,
} from '../../step/keepalived.ts';
import { balancerDirectory } from '../../step/load-balancer/static-pod.ts';
import { configOf } from '../kubernetes/settings.ts';
import { deviceOf, settingsFor, sharedProxy, stepsOf } from './proxies.ts';

/** A proxy and keepalived on the hosts of role `loadbalancer`. Their packages came with those of the machine. */
export const externalBalancerTask = defineTask({
  name: 'load-balancer/external',
  description: 'A proxy in front of the API servers and keepalived with the virtual IP, on the load balancers.',
  tags: ['load-balancer'],
  steps: [
    ...stepsOf(({ service }) => [service.note]),
    ...stepsOf(({ service }) => [service.config]),
    ...stepsOf(({ service }) => [service.running]),
    noteKeepalived,
    balancerDirectory,
    keepalivedScript,
    keepalivedFile,
    keepalivedService,
  ],
  isRequired: (context) => sharedProxy(context) !== undefined,
  plan: (context) => {
    const proxy = sharedProxy(context);
    if (proxy === undefined) return nothing();
    const { service } = proxy.steps;
    const hosts = context.targets.filter(({ roles }) => roles.includes('loadbalancer'));
    const settings = (host: PlanHost) => settingsFor(context, configOf(context, host));
    const config = on(hosts, (host) => service.config(settings(host)));
    const script = on(hosts, (host) => keepalivedScript({ ask: service.ask(settings(host)) }));
    const address = on(hosts, (host) => keepalivedFile(virtualIpOf(context, host)));
    return sequence(
      parallel(on(hosts, service.note({})), on(hosts, noteKeepalived({}))),
      config,
      on(hosts, service.running({ fingerprint: [config.ref()] })),
      on(hosts, balancerDirectory({ path: KEEPALIVED.directory })),
      parallel(script, address),
      on(hosts, keepalivedService({ fingerprint: [script.ref(), address.ref()] })),
    );
  },
});

/** All load balancers speak one family to each other: that of the virtual IP. */
function virtualIpOf(context: PlanContext, host: PlanHost): VirtualIp {
  const { metadata, spec } = context.cluster;
  const virtual = spec.controlPlaneEndpoint.address?.list ?? [];
  const family = virtual[0]?.includes(':') === true ? 'ipv6' : 'ipv4';
  const config = configOf(context, host);
  return {
    cluster: metadata.name,
    host: host.name,
    addresses: hostsOf(context.cluster, 'loadbalancer').map(({ internal }) => internal[family] ?? ''),
    own: config.internal[family] ?? '',
    device: deviceOf(context, host, config),
    virtual,
  };
}
