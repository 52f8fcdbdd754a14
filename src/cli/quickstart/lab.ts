import { brokenLabs, createLab, deleteLab, kubexmError, type Lab, listLabs, startLab } from '../../index.ts';
import type { Io } from '../io.ts';
import { withLab } from '../lab/with-lab.ts';
import { QUICKSTART } from './place.ts';

const NODES = 2;

/** The lab of the quickstart cluster, if it was made to the end. */
export async function findLab({ env }: Io): Promise<Lab | undefined> {
  const labs = await listLabs({ env });
  return labs.find(({ name, phase }) => name === QUICKSTART && phase === 'ready');
}

/** How many machines there will be. Those that are there are not changed. */
export function nodesOf(lab: Lab | undefined, wanted: number | undefined): number {
  const have = lab?.machines.length;
  if (have === undefined) return wanted ?? NODES;
  if (wanted !== undefined && wanted !== have) throw kubexmError('KX6630', { have, wanted });
  return have;
}

/** The lab with all of its machines running: as it is, started, or made. What was half made goes first. */
export async function ensureLab(io: Io, lab: Lab | undefined, machines: number): Promise<Lab> {
  if (lab !== undefined) {
    const names = lab.machines.map(({ name }) => name).join(io.say('listComma'));
    if (lab.machines.some(({ state }) => state !== 'running')) {
      return withLab(io, QUICKSTART, (options) => startLab(QUICKSTART, options));
    }
    io.note(io.say('quickstart.labThere', { machines: names }));
    return lab;
  }
  return withLab(io, QUICKSTART, async (options) => {
    if (await isThere(io)) {
      io.note(io.say('quickstart.labRemade'));
      await deleteLab(QUICKSTART, options);
    }
    return createLab({ name: QUICKSTART, machines }, options);
  });
}

/** Whether anything of the lab is there, be it half made. */
export async function isThere({ env }: Io): Promise<boolean> {
  const all = [...(await listLabs({ env })), ...(await brokenLabs({ env }))];
  return all.some(({ name }) => name === QUICKSTART);
}
