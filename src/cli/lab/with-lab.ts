import type { LabMachine, LabOptions } from '../../index.ts';
import { catchInterrupts } from '../interrupts.ts';
import type { Io } from '../io.ts';
import { labView } from './progress.ts';

/** Works on a lab while its progress is shown. Ctrl-C stops it and prints what to do with the rest. */
export async function withLab<T>(io: Io, lab: string, work: (options: LabOptions) => Promise<T>): Promise<T> {
  const view = await labView(io);
  const interrupts = catchInterrupts(
    process,
    () => undefined,
    () => {
      view.close();
      process.exit(130);
    },
  );
  try {
    return await work({ env: io.env, progress: view.progress, signal: interrupts.drain });
  } catch (error) {
    if (!interrupts.drain.aborted) throw error;
    view.close();
    const { kubexmError } = await import('../../index.ts');
    throw kubexmError('KX6620', { lab }, { cause: error });
  } finally {
    interrupts.release();
    view.close();
  }
}

/** What a word means: a machine of that name, or all of the lab of that name. */
export async function namedMachines(
  io: Io,
  word: string,
): Promise<{ readonly lab: string; readonly machine?: LabMachine }> {
  const { findMachine, listLabs } = await import('../../index.ts');
  const options = { env: io.env };
  if ((await listLabs(options)).some((lab) => lab.name === word)) return { lab: word };
  const machine = await findMachine(word, options);
  return { lab: machine.lab, machine };
}
