import { randomBytes } from 'node:crypto';
import type { LabImage, LabSpec } from '../../index.ts';
import { askPerson } from '../ask.ts';
import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { memoryOf } from '../lab/amounts.ts';
import { printLabs } from '../lab/machine-rows.ts';
import { withLab } from '../lab/with-lab.ts';
import { durationText } from '../output/duration.ts';
import { allFormats, type Format, outputOption } from '../shared-options.ts';

// The library knows them too, and is not loaded for help and completion.
const IMAGES: readonly LabImage[] = ['debian-12', 'debian-13'];
const STANDARD_NAME = 'lab';

/** `kubexm lab create` */
export const labCreateCommand: CommandSpec = {
  path: 'lab create',
  summary: 'cmd.lab-create',
  details: 'cmd.lab-create.details',
  examples: [
    { line: 'kubexm lab create t --machines 3', text: 'ex.lab-create' },
    {
      line: 'kubexm lab create t --machines 2 --memory 2Gi --user admin --sudo-password',
      text: 'ex.lab-create-sudo',
    },
  ],
  arguments: [{ name: '[name]', text: 'arg.lab-new' }],
  options: [
    { flags: '--machines <count>', text: 'opt.machines', number: true },
    { flags: '--memory <size>', text: 'opt.memory' },
    { flags: '--image <image>', text: 'opt.image', choices: IMAGES, default: 'debian-12' },
    { flags: '--user <name>', text: 'opt.lab-user' },
    { flags: '--sudo-password', text: 'opt.sudo-password' },
    outputOption(allFormats, 'table'),
  ],
  action: create,
};

async function create(call: Call): Promise<0> {
  const { io, options } = call;
  const spec = await specOf(call);
  const { createLab } = await import('../../index.ts');
  const began = performance.now();
  const lab = await withLab(io, spec.name, (more) => createLab(spec, more));
  printLabs(io, options.text('output') as Format, [lab]);
  const first = lab.machines[0]?.name ?? lab.name;
  const { say } = io;
  io.note(
    '',
    say('lab.ready', { lab: lab.name, time: durationText(performance.now() - began, say) }),
    `  kubexm lab ssh ${first}`,
    `  kubexm run command --lab ${lab.name} -- uname -n`,
    `  kubexm lab delete ${lab.name}`,
  );
  const file = lab.machines[0]?.sudoPasswordFile;
  if (file !== undefined) io.note(say('lab.password', { file }));
  return 0;
}

async function specOf(call: Call): Promise<LabSpec> {
  const { options, args } = call;
  const memory = options.text('memory');
  const user = options.text('user');
  const asked = options.flag('sudoPassword');
  if (asked && user === undefined) {
    throw cliError('KX1007', {
      command: 'kubexm lab create --sudo-password',
      option: '--user',
      help: 'kubexm lab create --help',
    });
  }
  return {
    name: args[0] ?? STANDARD_NAME,
    machines: options.number('machines') ?? 1,
    image: options.text('image') as LabImage,
    ...(memory === undefined ? {} : { memoryBytes: memoryOf(memory) }),
    ...(user === undefined ? {} : { user }),
    ...(asked && user !== undefined ? { sudoPassword: await passwordFor(call, user) } : {}),
  };
}

/** A person's own, or a random one where nobody can be asked. It stands in no command line and in no environment. */
async function passwordFor({ io }: Call, user: string): Promise<string> {
  const given =
    io.canAsk && !io.assumeYes ? await askPerson({ text: io.say('lab.askPassword', { user }), secret: true }, io) : '';
  return given === '' ? randomBytes(15).toString('base64url') : given;
}
