import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import { goBuild } from '../../src/artifacts/sources/go/index.ts';
import type { BuildNeed } from '../../src/model/catalog/need.ts';
import { thorough } from '../rig/thorough.ts';
import { ARCH, recipeJob, whyNoBuild } from './go-recipe.ts';

const never = new AbortController().signal;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kubexm-go-real-'));
});
afterAll(async () => {
  // Go keeps modules read-only.
  spawnSync('chmod', ['-R', 'u+w', root]);
  await rm(root, { recursive: true, force: true });
});

/** A recipe of the catalog at the default version of the newest Kubernetes. */
async function recipe(component: string, program: string): Promise<BuildNeed> {
  const { kubernetes } = (await readCatalog()).components.get(component)!;
  return (await recipeJob(component, kubernetes.at(-1)!.default, ARCH, [program])).builds[0]!;
}

/** Builds with a home and caches of its own: everything is downloaded, verified and compiled again. */
async function build(need: BuildNeed, home: string, env: Record<string, string> = {}) {
  await mkdir(home, { recursive: true });
  const io = { signal: never, env: { ...process.env, ...env }, progress: () => undefined, say: () => undefined };
  const request = { build: need, arch: ARCH, programs: Object.keys(need.programs) } as const;
  return await goBuild(request, join(home, 'out'), join(home, 'cache'), io);
}

const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
const fresh = (name: string) => {
  const home = join(root, name);
  return {
    home,
    env: {
      HOME: home,
      GOCACHE: join(home, 'gc'),
      GOMODCACHE: join(home, 'gm'),
      GOPATH: join(home, 'gp'),
      GOENV: process.env['GOENV'] ?? `${process.env['HOME']}/.config/go/env`,
    },
  };
};

async function twice(context: TestContext, component: string, program: string, says: RegExp): Promise<void> {
  const reason = await whyNoBuild(root);
  if (reason !== undefined) return context.skip(reason);
  const need = await recipe(component, program);
  if (need.cgo && spawnSync('pkg-config', ['--exists', 'libseccomp']).status !== 0)
    return context.skip('needs libseccomp-dev');
  const [one, two] = [fresh(`${component}-one`), fresh(`${component}/deeper/two`)];
  const left = (await build(need, one.home, one.env))[program]!;
  const right = (await build(need, two.home, two.env))[program]!;
  expect(await sha256(left)).toBe(await sha256(right));
  const ran = spawnSync(left, ['--version'], { encoding: 'utf8', input: '', env: {} });
  expect(ran.stdout + ran.stderr).toMatch(says);
}

describe('real sources (needs go and a module proxy)', { timeout: 600_000 }, () => {
  it('the same CNI plugin twice, with nothing in common but the sources', async (context) => {
    await twice(context, 'cni-plugins', 'host-local', /CNI host-local plugin v1\./);
  });

  it('the same runc twice, with C and seccomp in it', async (context) => {
    if (!thorough) return context.skip('needs minutes: npm run test:thorough');
    await twice(context, 'runc', 'runc', /runc version 1\.[\s\S]*libseccomp: /);
  });
});
