import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import type { ArtifactRow } from '../../src/artifacts/handles/report.ts';
import { LAB_KUBERNETES, labConfig } from '../../src/lab/config.ts';
import { cli } from '../cli/rig/cli.ts';
import { ARCH, besideCache, CACHE, whyNoBuild } from './go-recipe.ts';
import { unpackImage } from './image-world.ts';
import { answer, elfMachine, NO_VERSION, rightAnswer } from './program-versions.ts';

/** Kubernetes is built only where no test with a cluster had to do it before: they use the same version and the same cache. */
const BUILD = 60 * 60_000;
/** Where packages of Debian have their programs. Those have Debian's versions, not ones of the catalog. */
const DEBIAN = /^(?:bin|lib|sbin|usr\/(?!local\/))/;

let dir: string;
let rows: readonly ArtifactRow[] = [];
let problem: string | undefined;

const config = () => {
  const machines = [1, 2].map((n) => ({ name: `m${n}`, address: `10.0.0.${n}`, sshKeyPath: '/nonexistent' }));
  return labConfig({ name: 'versions', user: 'root', machines }).replace(/(address: [\d.]+)/g, `$1, arch: ${ARCH}`);
};

async function kubexm(...words: readonly string[]): Promise<string> {
  const { KUBEXM_HOME: _, ...env } = process.env;
  const own = { XDG_CACHE_HOME: CACHE, XDG_STATE_HOME: join(dir, 'state') };
  const ended = await cli([...words, '-f', 'c.yaml', '--yes'], {
    cwd: dir,
    env: { ...env, ...own, KUBEXM_SOURCES: process.env['KUBEXM_SOURCES'] ?? 'go' },
  });
  expect(ended.code, `${words.join(' ')}\n${ended.stdout}\n${ended.stderr}`).toBe(0);
  return ended.stdout;
}

const artifacts = async () => JSON.parse(await kubexm('get', 'artifacts', '-o', 'json')) as readonly ArtifactRow[];

beforeAll(async () => {
  dir = besideCache('versions');
  writeFileSync(join(dir, 'c.yaml'), config());
  if ((await artifacts()).some(({ state }) => state === 'needed')) problem = await whyNoBuild(dir);
  if (problem !== undefined) return;
  await kubexm('download', 'artifacts');
  rows = (await artifacts()).filter(({ source }) => source === 'go');
  if (rows.length === 0) problem = 'needs artifacts that are built from source';
}, BUILD);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Every program that an image brings beside those of Debian, by its path in the image. */
function programsIn(root: string, below = root): string[] {
  return readdirSync(below, { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return programsIn(root, path);
    const started = entry.isFile() && (statSync(path).mode & 0o111) !== 0 && !DEBIAN.test(relative(root, path));
    return started && elfMachine(path) !== undefined ? [path] : [];
  });
}

/** Flannel's CNI plugin is taken from a release of the common plugins that still has it. */
async function versionOf(row: ArtifactRow, program: string): Promise<string> {
  const { builds = [], versions } = (await readCatalog()).components.get(row.component) ?? { versions: [] };
  expect(versions.map(({ version }) => version)).toContain(row.version);
  const recipe = builds.find((build) => program in build.programs);
  return (recipe?.moduleVersion ?? 'v{version}').replace('{version}', row.version).replace(/^v/, '');
}

describe(`programs for a cluster of ${LAB_KUBERNETES} with flannel, built from source (needs go)`, {
  timeout: 600_000,
}, () => {
  const or = (context: TestContext) => problem !== undefined && context.skip(problem);

  test('every one that is put on a host tells the version that the catalog has', async (context) => {
    or(context);
    const programs = rows.filter(({ kind }) => kind === 'program');
    const [answers, right] = [{} as Record<string, string>, {} as Record<string, string>];
    for (const row of programs) {
      const version = await versionOf(row, row.name);
      right[row.id] = rightAnswer(row.name, version);
      answers[row.id] = answer(row.path, row.name, version);
    }
    expect(answers).toEqual(right);
    const names = programs.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['kubeadm', 'kubectl', 'kubelet', 'containerd', 'runc', 'crictl', 'bridge']),
    );
    expect(programs.find(({ name }) => name === 'kubeadm')?.version).toBe(LAB_KUBERNETES.replace('v', ''));
  });

  test('every one in an image tells it too', async (context) => {
    or(context);
    const [answers, right] = [{} as Record<string, string>, {} as Record<string, string>];
    for (const row of rows.filter(({ kind }) => kind === 'image')) {
      const place = mkdtempSync(join(dir, 'image-'));
      const { root } = unpackImage(row.path, place);
      const found = programsIn(root);
      // An image that has no program is no image of ours.
      if (found.length === 0) answers[row.id] = 'has no program';
      for (const file of found) {
        const name = basename(file);
        if (name in NO_VERSION) continue;
        const id = `${row.name}: ${name}`;
        const version = await versionOf(row, name);
        right[id] = rightAnswer(name, version);
        answers[id] = answer(file, name, version);
      }
      rmSync(place, { recursive: true, force: true });
    }
    expect(answers).toEqual(right);
    const asked = Object.keys(answers).map((id) => id.split(': ')[1]);
    expect(asked).toEqual(
      expect.arrayContaining(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'etcd']),
    );
    expect(asked).toEqual(expect.arrayContaining(['etcdctl', 'etcdutl', 'coredns', 'flanneld', 'flannel', 'pause']));
  });
});
