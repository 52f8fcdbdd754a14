import { describe, expect, test } from 'vitest';
import { configFor, planContextFor } from '../../test/support/plan-context.ts';
import { apiServerPort } from '../model/cluster/places.ts';
import { placesOf } from './places.ts';

const clusterOf = async (text: string) => (await planContextFor(text)).cluster;

describe('places', () => {
  test('are the usual ones unless the file says otherwise', async () => {
    expect(placesOf(await clusterOf(configFor()))).toEqual({
      etcdDir: '/var/lib/etcd',
      kubeletDir: '/var/lib/kubelet',
      imageDir: '/var/lib/containerd',
    });
    const moved = configFor({
      version: 'v1.34.2, kubeletArgs: [--v=2, --root-dir=/data/kubelet]',
      more: '  registry: {containerdDataDir: /data/images}',
    }).replace('type: kubeadm}', 'type: kubeadm, dataDir: /data/etcd}');
    expect(placesOf(await clusterOf(moved))).toEqual({
      etcdDir: '/data/etcd',
      kubeletDir: '/data/kubelet',
      imageDir: '/data/images',
    });
  });

  test.each([
    ['docker', '/data/docker'],
    ['cri-o', '/var/lib/containers'],
    ['isulad', '/var/lib/isulad'],
  ] as const)('of images are the runtime’s: %s', async (type, imageDir) => {
    const { spec, ...rest } = await clusterOf(configFor({ more: '  registry: {dockerDataDir: /data/docker}' }));
    const kubernetes = { ...spec.kubernetes, containerRuntime: { type } };
    expect(placesOf({ ...rest, spec: { ...spec, kubernetes } }).imageDir).toBe(imageDir);
  });
});

test.each([
  ['none', 'none', 8443],
  ['none', 'kube-vip', 8443],
  ['external', 'none', 8443],
  ['none', 'haproxy', 8443],
  ['none', 'nginx', 8443],
  ['kubexm-kh', 'none', 6443],
  ['kubexm-kn', 'none', 6443],
] as const)(
  'behind %s and %s API servers listen on the port of the control plane, or beside it',
  async (outside, inside, port) => {
    const { spec, ...rest } = await clusterOf(configFor());
    const controlPlaneEndpoint = {
      ...spec.controlPlaneEndpoint,
      externalLoadBalancer: outside,
      internalLoadbalancer: inside,
      port: 8443,
    };
    expect(apiServerPort({ ...rest, spec: { ...spec, controlPlaneEndpoint } })).toBe(port);
  },
);
