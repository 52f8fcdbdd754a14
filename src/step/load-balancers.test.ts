import { describe, expect, test } from 'vitest';
import { contentBytes } from './generic/lib/content.ts';
import { haproxySteps } from './haproxy.ts';
import { keepalivedFile, keepalivedScript, priorityOf, routerId } from './keepalived.ts';
import { kubeVipPod } from './kube-vip.ts';
import type { ProxySettings } from './load-balancer/proxy.ts';
import { nginxSteps } from './nginx.ts';

/** The file that a dedicated step would write, after its path. */
function textOf(use: { readonly want: unknown }): string {
  const { path, content } = use.want as {
    readonly path: string;
    readonly content: Parameters<typeof contentBytes>[0];
  };
  return `# ${path}\n${Buffer.from(contentBytes(content)).toString()}`;
}

const masters = [1, 2, 3].map((i) => ({ name: `cp${i}`, address: `10.1.0.${i}` }));
const onWorker: ProxySettings = {
  masters,
  apiPort: 6443,
  addresses: ['127.0.0.1'],
  port: 6443,
  connections: 4000,
  healthAddress: '127.0.0.1',
  healthPort: 10_260,
};
const shared: ProxySettings = { ...onWorker, addresses: ['0.0.0.0', '::'], port: 8443, connections: 8000 };
const six: ProxySettings = {
  ...onWorker,
  masters: [{ name: 'cp1', address: '2001:db8::1' }],
  addresses: ['::1'],
  healthAddress: '::1',
};
const PROXIES = { haproxy: haproxySteps, nginx: nginxSteps };

// Refresh with: vitest run src/step/load-balancers.test.ts --update
describe.each(Object.entries(PROXIES))('%s', (name, { pod, service }) => {
  test.each([
    ['worker', pod.config(onWorker)],
    ['worker-ipv6', pod.config(six)],
    ['shared', service.config(shared)],
  ])('its configuration: %s', async (place, use) => {
    await expect(textOf(use)).toMatchFileSnapshot(`golden/${name}-${place}.conf`);
  });

  test('its static pod', async () => {
    const use = pod.manifest({ ...onWorker, image: `example.com/${name}:1`, digest: 'abc' });
    await expect(textOf(use)).toMatchFileSnapshot(`golden/${name}-pod.yaml`);
  });

  test('another configuration is another manifest: the kubelet restarts the pod', () => {
    const manifest = (digest: string) => textOf(pod.manifest({ ...onWorker, image: 'a', digest }));
    expect(manifest('a')).not.toBe(manifest('b'));
  });

  test('how keepalived asks it', async () => {
    await expect(textOf(keepalivedScript({ ask: service.ask(shared) }))).toMatchFileSnapshot(`golden/${name}-check`);
  });
});

describe('keepalived', () => {
  const common = { cluster: 'demo', host: 'lb2', device: 'enp1s0' };
  const two = ['10.3.0.1', '10.3.0.2'];

  test.each([
    ['two', { ...common, addresses: two, own: '10.3.0.2', virtual: ['10.3.0.100'] }],
    ['two-families', { ...common, addresses: two, own: '10.3.0.1', virtual: ['10.3.0.100', '2001:db8:3::100'] }],
    ['alone', { ...common, addresses: ['10.3.0.2'], own: '10.3.0.2', virtual: ['10.3.0.100'] }],
  ])('its configuration: %s', async (name, params) => {
    await expect(textOf(keepalivedFile(params))).toMatchFileSnapshot(`golden/keepalived-${name}.conf`);
  });

  test('an unhealthy host always comes behind every healthy one', () => {
    const priorities = Array.from({ length: 12 }, (_, i) => priorityOf(i));
    expect(priorities.slice(0, 3)).toEqual([120, 110, 100]);
    expect(priorities.toSorted((a, b) => b - a)).toEqual(priorities);
    expect(new Set(priorities).size).toBe(priorities.length);
    expect(Math.max(...priorities) - 60).toBeLessThan(Math.min(...priorities));
    expect(Math.min(...priorities) - 60).toBeGreaterThan(0);
  });

  test('the router id follows from the name of the cluster and is a valid one', () => {
    const ids = Array.from({ length: 2000 }, (_, i) => routerId(`cluster-${i}`));
    expect(Math.min(...ids)).toBe(1);
    expect(Math.max(...ids)).toBe(255);
    expect(routerId('demo')).toBe(routerId('demo'));
  });
});

test('kube-vip as a static pod', async () => {
  const use = kubeVipPod({
    image: 'example.com/kube-vip:v1',
    addresses: ['10.1.0.100'],
    port: 6443,
    device: 'enp1s0',
    loopback: '127.0.0.1',
    kubeconfig: '/etc/kubernetes/super-admin.conf',
    metricsPort: 2112,
  });
  await expect(textOf(use)).toMatchFileSnapshot('golden/kube-vip-pod.yaml');
});
