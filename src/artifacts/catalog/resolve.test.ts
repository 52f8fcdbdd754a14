import { beforeAll, describe, expect, test } from 'vitest';
import { changed, plus } from '../../../test/configs/cases.ts';
import { loadConfig } from '../../config/load.ts';
import type { Catalog } from '../../model/catalog/schema.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import { KubexmError } from '../../model/errors/index.ts';
import { imageRepository } from './images.ts';
import { readCatalog } from './read.ts';
import { resolveArtifacts } from './resolve.ts';
import { findZone, zoneOf } from './zone.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await readCatalog();
});

async function load(text: string): Promise<Cluster> {
  const { cluster, problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems.filter((one) => one.severity === 'error')).toEqual([]);
  return cluster!;
}

const kubernetes = (version: string): readonly [string, string] => ['v1.34.2', version];

async function refusal(text: string, zone = ''): Promise<KubexmError> {
  const cluster = await load(text);
  try {
    resolveArtifacts(cluster, catalog, zone);
  } catch (error) {
    if (error instanceof KubexmError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the versions that kubeadm of each release has', () => {
  // DefaultEtcdVersion, CoreDNSVersion and PauseVersion of the tags; the DNS cache of the add-on's manifest.
  test.each([
    ['1.30.0', '3.5.12-0', 'v1.11.1', '3.9', '1.22.28'],
    ['1.30.14', '3.5.15-0', 'v1.11.3', '3.9', '1.22.28'],
    ['1.31.0', '3.5.15-0', 'v1.11.1', '3.10', '1.23.1'],
    ['1.31.13', '3.5.15-0', 'v1.11.3', '3.10', '1.23.1'],
    ['1.31.14', '3.5.24-0', 'v1.11.3', '3.10', '1.23.1'],
    ['1.32.2', '3.5.16-0', 'v1.11.3', '3.10', '1.23.1'],
    ['1.32.13', '3.5.24-0', 'v1.11.3', '3.10', '1.23.1'],
    ['1.33.5', '3.5.21-0', 'v1.12.0', '3.10', '1.25.0'],
    ['1.33.13', '3.5.24-0', 'v1.12.0', '3.10', '1.25.0'],
    ['1.34.1', '3.6.4-0', 'v1.12.1', '3.10.1', '1.26.4'],
    ['1.34.11', '3.6.5-0', 'v1.12.1', '3.10.1', '1.26.4'],
    ['1.35.8', '3.6.6-0', 'v1.13.1', '3.10.1', '1.26.4'],
    ['1.36.4', '3.6.8-0', 'v1.14.2', '3.10.2', '1.26.7'],
    ['1.37.1', '3.7.0-0', 'v1.14.6', '3.10.2', '1.26.7'],
  ])('%s', async (version, etcd, coredns, pause, cache) => {
    const text = `${changed(kubernetes(`v${version}`))}  dns: {nodelocaldns: {enabled: true}}\n`;
    const needs = resolveArtifacts(await load(text), catalog, '');
    const tags = Object.fromEntries(
      needs.flatMap((need) => need.images).map((image) => [image.name, image.upstream.split(':')[1]]),
    );
    expect(tags).toMatchObject({ etcd, coredns, pause, 'node-cache': cache, 'kube-apiserver': `v${version}` });
  });
});

describe('what is refused', () => {
  test('a Kubernetes that nobody has released, with the nearest one', async () => {
    const error = await refusal(changed(kubernetes('v1.34.99')));
    expect(error).toMatchObject({ code: 'KX7003', params: { component: 'Kubernetes', suggestion: '1.34.11' } });
  });

  test('an unknown version, with the nearest one that fits', async () => {
    const error = await refusal(
      changed(['  etcd:\n    type: kubeadm\n', '  etcd:\n    type: kubeadm\n    version: 3.6.50\n']),
    );
    expect(error).toMatchObject({
      code: 'KX7003',
      params: { component: 'etcd', version: '3.6.50', field: 'spec.etcd.version', suggestion: '3.6.14' },
    });
    expect(error.params['known']).toBe('3.6.14, 3.5.33');
  });

  test('a version that Kubernetes does not work with', async () => {
    const runtime = '    containerRuntime: {type: containerd, version: v1.7.29}\n';
    const error = await refusal(changed(['    version: v1.34.2\n', `    version: v1.36.1\n${runtime}`]));
    expect(error).toMatchObject({
      code: 'KX7004',
      params: { component: 'containerd', version: '1.7.29', kubernetes: '1.36.1', accepts: '>=2.2.0' },
    });
  });

  test('a CRI-O of another minor', async () => {
    const runtime = '    containerRuntime: {type: cri-o, version: 1.33.4}\n';
    const error = await refusal(changed(['    version: v1.34.2\n', `    version: v1.34.2\n${runtime}`]));
    expect(error).toMatchObject({ code: 'KX7004', params: { component: 'CRI-O', suggestion: '1.34.4' } });
  });

  test('several at once', async () => {
    const runtime = '    containerRuntime: {type: docker, version: 20.10.24}\n';
    const text = changed(
      ['    version: v1.34.2\n', `    version: v1.34.2\n${runtime}`],
      ['type: kubeadm\n', 'type: kubeadm\n    version: 3.4.0\n'],
    );
    const error = await refusal(text);
    expect(error).toMatchObject({ code: 'KX7007', params: { count: 2 } });
    expect(error.detail).toMatch(/etcd 3\.4\.0.*\n.*Docker 20\.10\.24/);
  });

  test('Harbor on a processor that it does not exist for', async () => {
    const text = plus('registry: {type: harbor, privateRegistry: hub.example.org}', [
      '{name: node3, address: 172.16.0.4}',
      '{name: node3, address: 172.16.0.4, arch: arm64, roles: [registry]}',
    ]);
    const error = await refusal(text);
    expect(error).toMatchObject({ code: 'KX7005', params: { component: 'Harbor', arch: 'arm64', hosts: 'node3' } });
  });

  test('an addon that nobody knows, and not one of the own kind', async () => {
    const addons = 'addons: [metric-server, {name: mine, type: yaml, path: ./mine.yaml}]';
    expect(await refusal(plus(addons))).toMatchObject({
      code: 'KX7010',
      params: { name: 'metric-server', suggestion: 'metrics-server' },
    });
  });

  test('an unknown zone', async () => {
    expect(await refusal(changed(), 'mars')).toMatchObject({ code: 'KX7006', params: { known: 'cn' } });
  });
});

describe('the zone', () => {
  test.each([
    [{}, 'artifacts: {zone: cn}', 'cn'],
    [{ KMZONE: '' }, 'artifacts: {zone: cn}', ''],
    [{ KMZONE: 'CN' }, '', 'cn'],
    [{}, '', ''],
  ])('%o, %s', async (environment, spec, expected) => {
    expect(zoneOf(await load(plus(spec)), environment)).toBe(expected);
  });

  test.each([
    ['', '', 'registry.k8s.io'],
    ['cn', '', 'registry.aliyuncs.com/google_containers'],
    ['cn', 'registry: {type: external, privateRegistry: hub.example.org:5000}', 'hub.example.org:5000'],
    ['', 'registry: {type: external, privateRegistry: hub.example.org, namespaceOverride: k8s}', 'hub.example.org/k8s'],
    ['', 'registry: {type: none, privateRegistry: hub.example.org}', 'registry.k8s.io'],
  ])('«%s» with «%s» takes images of Kubernetes from %s', async (zone, spec, expected) => {
    const cluster = await load(plus(spec));
    expect(imageRepository(cluster, findZone(catalog, zone))).toBe(expected);
    const needs = resolveArtifacts(cluster, catalog, zone);
    const pause = needs.flatMap((need) => need.images).find((image) => image.name === 'pause');
    expect(pause?.reference).toBe(`${expected}/pause:3.10.1`);
    expect(pause?.upstream).toBe('registry.k8s.io/pause:3.10.1');
  });
});

test('a processor comes from the configuration, else from the facts, else it is amd64', async () => {
  const cluster = await load(
    changed(['{name: node3, address: 172.16.0.4}', '{name: node3, address: 172.16.0.4, arch: arm64}']),
  );
  const needs = resolveArtifacts(cluster, catalog, '', (host) => (host === 'node2' ? 'arm64' : undefined));
  const kubelet = needs.flatMap((need) => need.files).filter((file) => file.name === 'kubelet');
  expect(kubelet.map((file) => [file.arch, file.hosts])).toEqual([
    ['amd64', ['node1']],
    ['arm64', ['node2', 'node3']],
  ]);
});

test('components beside those of the cluster come for all nodes, and are no longer optional', async () => {
  const cluster = await load(changed());
  const plain = resolveArtifacts(cluster, catalog, '');
  const needs = resolveArtifacts(cluster, catalog, '', undefined, ['testserver']);
  expect(needs.slice(0, -1)).toEqual(plain);
  const nodes = cluster.spec.hosts.filter(({ roles }) => roles.includes('master') || roles.includes('worker'));
  expect(needs.at(-1)).toMatchObject({
    component: 'testserver',
    optional: false,
    images: [{ name: 'testserver', hosts: nodes.map(({ name }) => name) }],
  });
  expect(() => resolveArtifacts(cluster, catalog, '', undefined, ['nothing'])).toThrow();
});
