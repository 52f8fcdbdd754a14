import { resourcesOf } from '../../artifacts/handles/index.ts';
import { isProxied } from '../../model/cluster/places.ts';
import { nothing, on, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import { MANIFESTS } from '../../step/kubeadm/places.ts';
import { balancerDirectory } from '../../step/load-balancer/static-pod.ts';
import { configOf } from '../kubernetes/settings.ts';
import { localProxy, settingsFor, stepsOf } from './proxies.ts';

/** A proxy on every worker. Its kubelet starts it, without the API: the manifest is there before the worker joins. */
export const internalBalancerTask = defineTask({
  name: 'load-balancer/internal',
  description: 'A proxy in front of the API servers on every worker, as a static pod.',
  tags: ['load-balancer'],
  steps: [balancerDirectory, ...stepsOf(({ pod }) => [pod.config]), ...stepsOf(({ pod }) => [pod.manifest])],
  isRequired: (context) => localProxy(context) !== undefined,
  plan: (context) => {
    const proxy = localProxy(context);
    const workers = context.targets.filter(isProxied);
    if (proxy === undefined || workers.length === 0) return nothing();
    const { pod } = proxy.steps;
    const settings = (name: string) => settingsFor(context, configOf(context, { name }));
    const config = on(workers, ({ name }) => pod.config(settings(name)));
    const image = resourcesOf(context).reference(proxy.component.name);
    return sequence(
      on(workers, balancerDirectory({ path: pod.directory }), { name: 'directory-config' }),
      config,
      on(workers, balancerDirectory({ path: MANIFESTS }), { name: 'directory-manifests' }),
      on(workers, ({ name }) => pod.manifest({ ...settings(name), image, digest: member(config.ref(), 'sha256') })),
    );
  },
});
