import { join } from 'node:path';
import { buildProgram, root } from '../lib/bundle.ts';
import { runProcess } from '../lib/process.ts';
import { atMost, info, type Section } from '../lib/report.ts';
import { interleave, sampleOf } from '../lib/stats.ts';

const ROUNDS = 25;

/** What it costs to be there at all. */
export const start: Section = {
  name: 'start',
  title: 'Start',
  async run() {
    await buildProgram();
    const kubexm = () => runProcess(join(root, 'kubexm'), ['version']);
    const milliseconds = (run: () => Promise<{ readonly seconds: number }>) => async () => (await run()).seconds * 1000;
    await kubexm();
    const turns = await interleave(ROUNDS, {
      node: milliseconds(() => runProcess(process.execPath, ['-e', '0'])),
      kubexm: milliseconds(kubexm),
    });
    const over = turns.kubexm.map((one, i) => one - (turns.node[i] ?? Number.NaN));
    return {
      rows: [
        info('`./kubexm version`', sampleOf(turns.kubexm), 'ms', 0),
        info('`node -e 0`', sampleOf(turns.node), 'ms', 0),
        atMost('over bare Node', 120, sampleOf(over), 'ms', 0),
      ],
      how: [
        `Both with the same Node, ${ROUNDS} times in turns, after one run that warmed the caches. \`./kubexm\` is the launcher of a ` +
          'checkout: it looks whether anything has to be installed or built before it starts the program.',
      ],
    };
  },
};
