import type { CommandSpec } from '../command-spec.ts';
import { bashScript } from '../complete/bash-script.ts';

/** `kubexm completion bash|zsh|fish` */
export const completionCommand: CommandSpec = {
  path: 'completion',
  summary: 'cmd.completion',
  details: 'cmd.completion.details',
  examples: [
    { line: 'source <(kubexm completion bash)', text: 'ex.completion-bash' },
    { line: 'kubexm completion zsh > ~/.zfunc/_kubexm', text: 'ex.completion-zsh' },
    { line: 'kubexm completion fish > ~/.config/fish/completions/kubexm.fish', text: 'ex.completion-fish' },
  ],
  arguments: [{ name: '<shell>', text: 'arg.shell', choices: ['bash', 'zsh', 'fish'] }],
  action: async ({ io, args }) => {
    const [shell = ''] = args;
    io.stdout.write(shell === 'bash' ? bashScript : await scriptOf(shell));
    return 0;
  },
};

async function scriptOf(shell: string): Promise<string> {
  const { script } = await import('@bomb.sh/tab');
  const lines: string[] = [];
  const { log } = console;
  // The package can only print its scripts.
  console.log = (text: string) => void lines.push(text);
  try {
    script(shell, 'kubexm', 'kubexm');
  } finally {
    console.log = log;
  }
  return `${lines.join('\n')}\n`;
}
