import type { CommandSpec } from '../command-spec.ts';

// Cobra's protocol, which the scripts speak: a line for each candidate, then a colon and a sum of these.
const NO_SPACE = 2;
const NO_FILES = 4;

/** `kubexm complete -- WORDS…`: what shells call. */
export function completeCommand(all: () => readonly CommandSpec[]): CommandSpec {
  return {
    path: 'complete',
    summary: 'cmd.complete',
    examples: [],
    arguments: [{ name: '[words...]', text: 'arg.words' }],
    hidden: true,
    passThrough: true,
    action: async ({ io, argv }) => {
      const { complete } = await import('../complete/candidates.ts');
      const { machineValues } = await import('../complete/value-source.ts');
      // The words are taken as typed: a parser would take away the `--` among them.
      const words = argv.slice(argv.indexOf('--') + 1);
      const { candidates, files, noSpace } = await complete(words, all(), io.say, machineValues(io));
      const lines = candidates.map(({ value, text }) =>
        text === '' ? value : `${value}\t${text.replaceAll(/\s+/g, ' ')}`,
      );
      io.print(lines, `:${(files ? 0 : NO_FILES) + (noSpace ? NO_SPACE : 0)}`);
      return 0;
    },
  };
}
