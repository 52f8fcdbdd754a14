import { expect, test } from 'vitest';
import { containerd } from '../component/containerd.ts';
import { effectWords } from '../engine/manifest.ts';
import type { Cluster } from '../model/cluster/index.ts';
import type { Effect } from '../model/effect.ts';
import { containerdConfig, containerdRegistry, containerdService, registryHosts } from './containerd.ts';
import { contentBytes } from './generic/lib/content.ts';

/** What a dedicated step would write. */
function textOf(use: { readonly want: unknown }): string {
  const { content } = use.want as { readonly content: Parameters<typeof contentBytes>[0] };
  return Buffer.from(contentBytes(content)).toString();
}

/** containerd's service in a cluster whose images are in that directory. */
function serviceAt(containerdDataDir: string) {
  const cluster = { spec: { registry: { containerdDataDir } } } as Cluster;
  return containerdService({ effects: containerd.runtimeEffects?.(cluster) ?? [], fingerprint: '' });
}

const settings = {
  dataDir: '/var/lib/containerd',
  sandboxImage: 'registry.k8s.io/pause:3.10.1',
  restrictOomScore: false,
};

// Refresh with: vitest run src/step/containerd.test.ts --update
test.each([
  ['1.7', { ...settings, version: '1.7.29' }],
  ['2.0', { ...settings, version: '2.0.7' }],
  ['2.3-elsewhere', { ...settings, version: '2.3.4', dataDir: '/data/containerd', restrictOomScore: true }],
])('the configuration of containerd %s', async (name, params) => {
  await expect(textOf(containerdConfig(params))).toMatchFileSnapshot(`golden/containerd-${name}.toml`);
});

const auth = (said: { readonly plainHTTP?: boolean; readonly skipTLSVerify?: boolean }) => ({
  plainHTTP: false,
  skipTLSVerify: false,
  ...said,
});

test.each([
  ['mirror', { registryMirrors: ['mirror.example.com'] }],
  ['insecure', { insecureRegistries: ['hub.example.com:5000', 'hub.example.com:5000'] }],
  ['logins', { auths: { 'a.example.com': auth({ plainHTTP: true }), 'b.example.com': auth({ skipTLSVerify: true }) } }],
  ['mirror-and-insecure-hub', { registryMirrors: ['m.example.com'], insecureRegistries: ['docker.io'] }],
  [
    'mirror-and-unchecked-hub',
    { registryMirrors: ['m.example.com'], auths: { 'docker.io': auth({ skipTLSVerify: true }) } },
  ],
  [
    'insecure-mirrors',
    {
      registryMirrors: ['a.example.com', 'b.example.com', 'c.example.com:5000', 'd.example.com', 'a.example.com'],
      insecureRegistries: ['a.example.com'],
      auths: { 'b.example.com': auth({ skipTLSVerify: true }), 'c.example.com:5000': auth({ plainHTTP: true }) },
    },
  ],
  [
    'mirrors-with-scheme',
    {
      registryMirrors: [
        'https://a.example.com/',
        'http://b.example.com',
        'https://c.example.com',
        'http://d.example.com',
      ],
      insecureRegistries: ['a.example.com', 'b.example.com'],
      auths: { 'c.example.com': auth({ plainHTTP: true }) },
    },
  ],
])('how registries are reached: %s', async (name, said) => {
  const hosts = registryHosts({ registryMirrors: [], insecureRegistries: [], auths: {}, ...said });
  const files = hosts.map((one) => {
    const use = containerdRegistry(one);
    return `# ${(use.want as { readonly path: string }).path}\n${textOf(use)}`;
  });
  expect(new Set(hosts.map(({ host }) => host)).size).toBe(hosts.length);
  await expect(files.join('\n')).toMatchFileSnapshot(`golden/hosts-${name}.toml`);
});

test('a registry that is reached as all are has no file', () => {
  const auths = { 'hub.example.com': auth({}) };
  expect(registryHosts({ registryMirrors: [], insecureRegistries: [], auths })).toEqual([]);
});

test.each([
  ['/var/lib/containerd/', ['mounts /var/lib/containerd', 'path /var/lib/containerd', 'mode /var/lib/containerd']],
  [
    '/data',
    ['paths /data/io.containerd.', 'mounts /data/tmpmounts', 'path /data/tmpmounts', 'directory /data', 'mode /data'],
  ],
])('what containerd makes in %s is its own, in a directory of the user only by its name', (dataDir, expected) => {
  const { effects } = serviceAt(dataDir).want as { readonly effects: readonly Effect[] };
  const there = effects.map(effectWords).filter((words) => words.includes(` ${dataDir.replace(/\/$/, '')}`));
  expect(there).toEqual(expected);
});

test('the networks of others who run containers are not containerd’s', () => {
  const { effects } = serviceAt('/data').want as {
    readonly effects: readonly Effect[];
  };
  expect(effects.map(effectWords).filter((words) => words.includes('/cni'))).toEqual(['directory /etc/cni/net.d']);
});

test('of what runs, only the mounts of pods are the cluster’s: others have theirs in other namespaces of containerd', () => {
  const { effects } = serviceAt('/data').want as {
    readonly effects: readonly Effect[];
  };
  const pods = ['/run/containerd/io.containerd.runtime.v2.task/k8s.io', '/run/containerd/io.containerd.grpc.v1.cri'];
  expect(effects.map(effectWords).filter((words) => words.includes(' /run/'))).toEqual([
    ...pods.flatMap((path) => [`mounts ${path}`, `path ${path}`]),
    'path /run/containerd',
  ]);
});
