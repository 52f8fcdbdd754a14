import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cache, openCache } from '../../src/artifacts/cache/cache.ts';
import { appliesTo } from '../../src/artifacts/catalog/check.ts';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import { thorough } from '../rig/thorough.ts';
import { ARCH, besideCache, builtBy, recipeJob, whyNoBuild } from './go-recipe.ts';
import { answerOfCopy, elfMachine, rightAnswer } from './program-versions.ts';

/** Each recipe of the catalog with a version that a module proxy has: the default of the newest Kubernetes, where it has that. */
const PROVED: readonly (readonly [component: string, version: string])[] = [
  ['cni-plugins', '1.9.1'],
  ['containerd', '1.7.29'],
  ['containerd', '2.3.4'],
  ['coredns', '1.12.1'],
  ['cri-dockerd', '0.4.3'],
  ['crictl', '1.36.0'],
  ['docker-compose', '2.40.3'],
  ['docker-compose', '5.5.0'],
  ['etcd', '3.6.5'],
  ['flannel', '0.26.7'],
  ['helm', '3.21.4'],
  ['helm', '4.2.4'],
  ['kube-bench', '0.15.6'],
  ['kube-vip', '0.9.1'],
  ['kubernetes', '1.34.2'],
  ['metrics-server', '0.9.0'],
  ['nerdctl', '1.7.7'],
  ['nerdctl', '2.3.5'],
  ['registry', '3.0.0'],
  ['runc', '1.4.3'],
];

/** Big modules without C for the other processor: some programs of each. */
const OTHER = ARCH === 'amd64' ? 'arm64' : 'amd64';
const MACHINES = { amd64: 62, arm64: 183 };
const CROSSED: readonly (readonly [component: string, version: string, programs: readonly string[]])[] = [
  ['etcd', '3.6.5', ['etcd', 'etcdctl', 'etcdutl']],
  ['kubernetes', '1.34.2', ['kubeadm', 'kubectl']],
];

const catalog = await readCatalog();
let dir: string;
let cache: Cache;
let problem: string | undefined;

beforeAll(async () => {
  dir = besideCache('recipes');
  cache = await openCache(join(dir, 'cache'));
  problem = thorough ? await whyNoBuild(dir) : 'needs minutes: npm run test:thorough';
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('recipes of the catalog, with real sources (needs go)', { timeout: 40 * 60_000 }, () => {
  test('none is left out below', () => {
    const recipes = [...catalog.components.values()].flatMap(({ component, builds }) =>
      builds.map((recipe) => ({ component, recipe })),
    );
    const left = recipes.filter(
      ({ component, recipe }) => !PROVED.some(([name, version]) => name === component && appliesTo(recipe, version)),
    );
    expect(left).toEqual([]);
  });

  test('it is known how each of their programs is asked for its version', () => {
    const programs = [...catalog.components.values()].flatMap(({ builds }) =>
      builds.flatMap((one) => Object.keys(one.programs)),
    );
    expect(programs.filter((name) => rightAnswer(name, '1').startsWith('nobody knows'))).toEqual([]);
  });

  test.for(PROVED)('%s %s: every program tells its version', async ([component, version], context) => {
    if (problem !== undefined) return context.skip(problem);
    const job = await recipeJob(component, version);
    const [answers, right] = [{} as Record<string, string>, {} as Record<string, string>];
    for (const [name, file] of await builtBy(cache, job)) {
      const { modules } = job.builds.find((build) => name in build.programs)!;
      const told = modules[0]!.version.replace(/^v/, '');
      right[name] = rightAnswer(name, told);
      answers[name] = answerOfCopy(file, dir, name, told);
    }
    expect(Object.keys(answers)).not.toEqual([]);
    expect(answers).toEqual(right);
  });

  test.for(CROSSED)(`%s %s: programs for ${OTHER}`, async ([component, version, programs], context) => {
    if (problem !== undefined) return context.skip(problem);
    const built = await builtBy(cache, await recipeJob(component, version, OTHER, programs));
    const machines = [...built].map(([name, file]) => [name, elfMachine(file)]);
    expect(machines).toEqual(programs.map((name) => [name, MACHINES[OTHER]]));
  });

  test(`one with C in it is refused for ${OTHER} where no compiler is there for that, with what is missing`, async (context) => {
    const go = spawnSync('sh', ['-c', 'command -v go'], { encoding: 'utf8' }).stdout.trim();
    if (go === '') return context.skip('needs go');
    // A machine with Go and nothing else.
    const bin = mkdtempSync(join(dir, 'bin-'));
    symlinkSync(go, join(bin, 'go'));
    const job = await recipeJob('runc', '1.4.3', OTHER);
    const triple = OTHER === 'arm64' ? 'aarch64-linux-gnu' : 'x86-64-linux-gnu';
    await expect(builtBy(cache, job, { ...process.env, PATH: bin, GOROOT: undefined })).rejects.toMatchObject({
      code: 'KX7016',
      detail: expect.stringMatching(
        new RegExp(`^go: .*runc v1.4.3 for ${OTHER} needs C, .*: gcc, .*\\n.*apt-get install gcc-${triple} `),
      ),
    });
  });
});
