import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readCatalog, resolveArtifacts } from '../../src/artifacts/catalog/index.ts';
import { goBuild } from '../../src/artifacts/sources/go/index.ts';
import type { BuildNeed } from '../../src/model/catalog/need.ts';
import type { Arch } from '../../src/model/catalog/schema.ts';
import { openCluster } from '../../src/state/open-config.ts';
import { writeClusterConfig } from '../lib/cluster-config.ts';
import { info, type Row, type Section } from '../lib/report.ts';
import { withScratch } from '../lib/scratch.ts';
import { sampleOf } from '../lib/stats.ts';

const arch: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** Everything that a cluster of Kubernetes 1.34 needs, compiled from nothing. */
export const coldBuilds: Section = {
  name: 'artifacts-cold',
  title: 'Artifacts built from source',
  takes: 'a quarter of an hour or more',
  problem: () => (spawnSync('go', ['version']).status === 0 ? undefined : 'needs go'),
  run: () => withScratch(measure),
};

async function measure(dir: string) {
  const { cluster } = await openCluster(writeClusterConfig(dir));
  const rows: Row[] = [];
  let whole = 0;
  for (const { component, version, builds } of resolveArtifacts(cluster, await readCatalog(), '')) {
    for (const [i, build] of builds.filter(({ arches }) => arches.includes(arch)).entries()) {
      const names = Object.keys(build.programs);
      const shown = names.length > 7 ? `${names.length} programs` : names.join(', ');
      process.stderr.write(`artifacts-cold: ${component} ${version}\n`);
      const seconds = await timed(build, join(dir, `${component}-${i}`));
      whole += seconds;
      rows.push(info(`${component} ${version}: ${shown}`, sampleOf([seconds]), 's', 0));
    }
  }
  return {
    rows: [...rows, info('all of them, one after the other', sampleOf([whole]), 's', 0)],
    how: [
      'Each with an empty build cache of Go of its own, so that the standard library is compiled too; modules that are not here ' +
        'yet are downloaded, and that is counted. The programs of one line come from one `go build`. Once.',
    ],
  };
}

async function timed(build: BuildNeed, home: string): Promise<number> {
  const request = { build, arch, programs: Object.keys(build.programs) } as const;
  const env = { ...process.env, GOCACHE: join(home, 'gocache') };
  const io = { signal: new AbortController().signal, env, progress: () => undefined, say: () => undefined };
  const started = performance.now();
  await goBuild(request, join(home, 'out'), join(home, 'cache'), io);
  return (performance.now() - started) / 1000;
}
