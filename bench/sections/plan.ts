import { bundle } from '../lib/bundle.ts';
import { runChild } from '../lib/process.ts';
import { atMost, info, type Row, type Section } from '../lib/report.ts';
import { withScratch } from '../lib/scratch.ts';
import { interleave, sampleOf } from '../lib/stats.ts';

const ROUNDS = 5;

interface Answer {
  readonly seconds: number;
  readonly showSeconds: number;
  readonly nodes: number;
  readonly edges: number;
  readonly peakMb: number;
}

/** Planning and validating the largest cluster we care for. */
export const plan: Section = {
  name: 'plan',
  title: 'Planning',
  run: () =>
    withScratch(async (dir) => {
      const file = await bundle('plan', dir);
      const run =
        (name: string, show = '') =>
        () =>
          runChild<Answer>(file, { case: name, show });
      const turns = await interleave(ROUNDS, {
        alike: run('alike'),
        mixed: run('mixed'),
        text: run('mixed', 'text'),
        json: run('mixed', 'json'),
        hostByHost: run('host-by-host'),
        rolling: run('rolling'),
      });
      const of = (name: keyof typeof turns, field: 'seconds' | 'showSeconds' | 'peakMb') =>
        sampleOf(turns[name].map((answer) => answer[field]));
      const targets = (name: 'alike' | 'mixed', what: string): Row[] => [
        atMost(`100 steps, ${what}: time`, 2.5, of(name, 'seconds'), 's', 2),
        atMost(`100 steps, ${what}: memory`, 800, of(name, 'peakMb'), 'MB', 0),
      ];
      const size = (name: 'alike' | 'mixed') => {
        const [{ nodes, edges } = { nodes: 0, edges: 0 }] = turns[name];
        return `${nodes.toLocaleString('en')} nodes and ${edges.toLocaleString('en')} edges`;
      };
      return {
        rows: [
          ...targets('alike', 'one want each'),
          ...targets('mixed', 'roles, local steps, wants by host'),
          info('to show the second as text, beside that', of('text', 'showSeconds'), 's', 2),
          info('to write the second as JSON, beside that', of('json', 'showSeconds'), 's', 2),
          info('10 steps, made host by host: time', of('hostByHost', 'seconds'), 's', 2),
          info('2 steps, one host after the other: time', of('rolling', 'seconds'), 's', 2),
        ],
        how: [
          `5,000 hosts. The first plan has ${size('alike')}, the second ${size('mixed')}. Each ran ${ROUNDS} times in turns, each ` +
            'time in a process of its own: the time is that of the whole process, with the start of Node, until the graph is ' +
            'built, checked and hashed; memory is the most that the process ever held.',
        ],
      };
    }),
};
