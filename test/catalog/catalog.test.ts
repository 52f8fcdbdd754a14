import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { chooseVersion } from '../../src/artifacts/catalog/choose.ts';
import { catalogDirectory, readCatalog, readCatalogTexts } from '../../src/artifacts/catalog/read.ts';
import type { Catalog } from '../../src/model/catalog/schema.ts';
import { SUPPORTED_KUBERNETES } from '../../src/model/cluster/text.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

let catalog: Catalog;
beforeAll(async () => {
  catalog = await readCatalog();
});

// The list of the issue: calicoctl and the CRDs are files of calico.
test('every component has its file', () => {
  expect([...catalog.components.keys()].sort()).toEqual([
    'calico',
    'cilium',
    'cni-plugins',
    'containerd',
    'coredns',
    'cri-dockerd',
    'cri-o',
    'crictl',
    'docker',
    'docker-compose',
    'etcd',
    'flannel',
    'haproxy',
    'harbor',
    'helm',
    'isulad',
    'keepalived',
    'kube-bench',
    'kube-vip',
    'kubernetes',
    'metrics-server',
    'nerdctl',
    'nginx',
    'node-cache',
    'pause',
    'registry',
    'runc',
    'testserver',
  ]);
});

test('every minor of Kubernetes that the configuration accepts is there, and no other', () => {
  const minors = new Set(catalog.components.get('kubernetes')?.versions.map(({ version }) => version.split('.')[1]));
  const { first, last } = SUPPORTED_KUBERNETES;
  expect([...minors].map(Number)).toEqual(Array.from({ length: last - first + 1 }, (_, i) => first + i));
});

test('every component has a version for every Kubernetes', () => {
  const kubernetes = catalog.components.get('kubernetes')?.versions ?? [];
  expect(kubernetes.length).toBeGreaterThan(80);
  for (const component of catalog.components.values()) {
    if (component.component === 'kubernetes' || component.versions.length === 0) continue;
    for (const { version } of kubernetes) expect(chooseVersion(component, version).version).not.toBe('');
  }
});

test('no digest is typed in', async () => {
  for (const { file, text } of await readCatalogTexts(catalogDirectory())) {
    // A commit in a tag of an image is no digest: those have 64 digits.
    expect(text, file).not.toMatch(/\b[0-9a-f]{64}\b|\b[0-9a-f]{128}\b/);
  }
});

test('it is found from a bundle, wherever that runs', async () => {
  const root = mkdtempSync(join(tmpdir(), 'kubexm-package-'));
  try {
    const { files } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).toContain('data');
    cpSync(catalogDirectory(), join(root, 'data', 'catalog'), { recursive: true });
    const entry = `import { readCatalog } from './src/artifacts/catalog/read.ts';
      const { components } = await readCatalog();
      console.log(components.size);`;
    await build({
      ...bundleOptions,
      stdin: { contents: entry, resolveDir: REPOSITORY, loader: 'ts' },
      outfile: join(root, 'dist', 'bundle.mjs'),
    });
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist', 'bundle.mjs')], { cwd: tmpdir() });
    expect(`${stdout}${stderr}`).toBe(`${catalog.components.size}\n`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('a directory without a catalog is said clearly', async () => {
  await expect(readCatalog(join(tmpdir(), 'no-such-catalog'))).rejects.toMatchObject({ code: 'KX7002' });
});

describe('the tool', () => {
  const script = join(REPOSITORY, 'scripts', 'catalog-add.mjs');
  const directory = mkdtempSync(join(tmpdir(), 'kubexm-catalog-'));
  cpSync(catalogDirectory(), directory, { recursive: true });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const compiled = mkdtempSync(join(tmpdir(), 'kubexm-compiled-'));
  afterAll(() => rmSync(compiled, { recursive: true, force: true }));
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args, '--directory', directory], {
      env,
    });
    return { status, text: `${stdout}${stderr}` };
  };

  test('adds a version', async () => {
    expect(run('runc', '1.4.4', '--default-for', '1.36')).toMatchObject({
      status: 1,
      text: expect.stringContaining('divide'),
    });
    expect(run('cri-o', 'v1.36.99', '--default-for', '1.36')).toMatchObject({ status: 0 });
    const crio = (await readCatalog(directory)).components.get('cri-o')!;
    expect(chooseVersion(crio, '1.36.4').version).toBe('1.36.99');
    expect(chooseVersion(crio, '1.35.0').version).toMatch(/^1\.35\./);
  });

  test('writes nothing that the catalog does not accept', () => {
    const before = readFileSync(join(directory, 'etcd.yaml'), 'utf8');
    const result = run('etcd', '3.9.0', '--default-for', '1.36');
    expect(result).toMatchObject({ status: 1, text: expect.stringContaining('the default 3.9.0 is not in') });
    expect(readFileSync(join(directory, 'etcd.yaml'), 'utf8')).toBe(before);
  });

  test('knows what was meant', () => {
    expect(run('contanerd', '2.9.0').text).toContain('Did you mean containerd?');
    expect(run('etcd').text).toContain('usage');
  });
});
