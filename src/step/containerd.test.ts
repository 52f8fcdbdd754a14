import { expect, test } from 'vitest';
import { effectWords } from '../engine/manifest.ts';
import type { Effect } from '../model/effect.ts';
import { containerdConfig, containerdRegistry, containerdService } from './containerd.ts';
import { contentBytes } from './generic/lib/content.ts';

/** What a dedicated step would write. */
function textOf(use: { readonly want: unknown }): string {
  const { content } = use.want as { readonly content: Parameters<typeof contentBytes>[0] };
  return Buffer.from(contentBytes(content)).toString();
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

test.each([
  ['docker.io', [{ url: 'https://mirror.example.com', skipVerify: false }]],
  [
    'hub.example.com:5000',
    [
      { url: 'https://hub.example.com:5000', skipVerify: true },
      { url: 'http://hub.example.com:5000', skipVerify: false },
    ],
  ],
])('how %s is reached', async (host, endpoints) => {
  const name = host.replaceAll(':', '-');
  await expect(textOf(containerdRegistry({ host, endpoints }))).toMatchFileSnapshot(`golden/hosts-${name}.toml`);
});

test.each([
  ['/var/lib/containerd/', ['mounts /var/lib/containerd', 'path /var/lib/containerd', 'mode /var/lib/containerd']],
  [
    '/data',
    ['paths /data/io.containerd.', 'mounts /data/tmpmounts', 'path /data/tmpmounts', 'directory /data', 'mode /data'],
  ],
])('what containerd makes in %s is its own, in a directory of the user only by its name', (dataDir, expected) => {
  const { effects } = containerdService({ dataDir, fingerprint: '' }).want as { readonly effects: readonly Effect[] };
  const there = effects.map(effectWords).filter((words) => words.includes(` ${dataDir.replace(/\/$/, '')}`));
  expect(there).toEqual(expected);
});
