import { join } from 'node:path';
import { buildProgram, root } from '../lib/bundle.ts';
import { writeClusterConfig } from '../lib/cluster-config.ts';
import { runProcess } from '../lib/process.ts';
import { atMost, info, type Section } from '../lib/report.ts';
import { withScratch } from '../lib/scratch.ts';
import { interleave, sampleOf } from '../lib/stats.ts';

const ROUNDS = 10;

/** What is there already: how soon kubexm knows that. */
export const artifacts: Section = {
  name: 'artifacts',
  title: 'Artifacts that are here',
  async run() {
    await buildProgram();
    return await withScratch(measure);
  },
};

async function measure(dir: string) {
  writeClusterConfig(dir);
  const env = { ...process.env, KUBEXM_SOURCES: process.env['KUBEXM_SOURCES'] ?? 'go' };
  const kubexm = (words: string) =>
    runProcess(join(root, 'kubexm'), [...words.split(' '), '-f', 'cluster.yaml'], { cwd: dir, env });
  const missing = (await listed(kubexm)).filter(({ state, optional }) => state === 'needed' && !optional);
  if (missing.length > 0) {
    const names = missing.slice(0, 5).map(({ id }) => id);
    throw new Error(`not in the cache, and would have to be got now: ${names.join(', ')} …`);
  }
  const first = await kubexm('download artifacts');
  const here = (await listed(kubexm)).filter(({ state }) => state === 'ready');
  const megabytes = here.reduce((sum, { size = 0 }) => sum + size, 0) / 1e6;
  const turns = await interleave(ROUNDS, {
    download: () => kubexm('download artifacts'),
    get: () => kubexm('get artifacts'),
  });
  const verified = await kubexm('verify artifacts');
  const seconds = (some: readonly { readonly seconds: number }[]) => sampleOf(some.map((one) => one.seconds));
  return {
    rows: [
      info('a cluster whose artifacts another one has', seconds([first]), 's', 2),
      atMost('`download artifacts` when all is there', 2, seconds(turns.download), 's', 2),
      info('`get artifacts`', seconds(turns.get), 's', 2),
      info('`verify artifacts`, which reads it all', seconds([verified]), 's', 2),
    ],
    how: [
      `What a cluster of Kubernetes 1.34 with flannel needs, ${here.length} files of ${megabytes.toFixed(0)} MB, from the cache of ` +
        `this machine; ${ROUNDS} times in turns, each a process from its start to its end. For the first line every file is read ` +
        'and compared with its digest, and gets its second name.',
    ],
  };
}

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly optional: boolean;
  readonly size?: number;
}

async function listed(kubexm: (words: string) => Promise<{ readonly stdout: string }>): Promise<readonly Listed[]> {
  return JSON.parse((await kubexm('get artifacts -o json')).stdout) as readonly Listed[];
}
