import { kubexmError } from '../../model/errors/index.ts';
import { takeBaseline } from '../diff/baseline.ts';
import { labPlaces } from '../places.ts';
import type { Lab, LabMachine, LabOptions, LabPlaces, LabProvider } from '../types.ts';
import { cutMachines, rebootMachines, startMachines, stopMachines } from './boot.ts';
import { checkSpec, makeLab } from './create.ts';
import { execIn } from './exec.ts';
import { lookAt } from './machine.ts';
import { setCable, setDelay } from './network.ts';
import { boxNetwork, type LabRecord, labDir, mustRead, readRecord, readRecords } from './record.ts';
import { removeLab, removeLabsDir } from './remove.ts';
import { checkBox } from './requirements.ts';
import { restoreSnapshot, snapshotNames, takeSnapshot } from './snapshot.ts';
import { machinesOf, type Work, wholeLab, withLab } from './work.ts';

/** Machines as systemd-nspawn containers on this box: a real systemd and sshd each, sharing the box's kernel. */
export const nspawn: LabProvider = {
  name: 'nspawn',

  async create(spec, options) {
    checkBox();
    checkSpec(spec);
    try {
      await withLab(spec.name, options, async (work) => {
        const mine = readRecord(work.places, spec.name) === undefined;
        try {
          await makeLab(work, spec, options.afterFirstBoot ?? baselineOf);
        } catch (error) {
          // What was begun is of no use to anybody, and it is removed also when somebody asked to stop.
          const { signal: _, ...rest } = work;
          if (mine && readRecord(work.places, spec.name)) await removeLab(rest, spec.name);
          throw error;
        }
      });
    } finally {
      removeLabsDir(placesOf(options).labs);
    }
    return nspawn.open(spec.name, options);
  },

  async open(name, options) {
    const places = placesOf(options);
    return labOf(places, mustRead(places, name));
  },

  async list(options) {
    const places = placesOf(options);
    return readRecords(places).records.map((record) => labOf(places, record));
  },

  async broken(options) {
    return readRecords(placesOf(options)).broken;
  },

  async remove(name, options) {
    const removed = await withLab(name, options, (work) => removeLab(work, name));
    removeLabsDir(placesOf(options).labs);
    return removed;
  },

  start: (lab, machines, options) => each(lab, machines, options, startMachines),
  stop: (lab, machines, options) => each(lab, machines, options, stopMachines),
  reboot: (lab, machines, options) => each(lab, machines, options, rebootMachines),
  cut: (lab, machines, options) => each(lab, machines, options, cutMachines),
  partition: (lab, machine, options) =>
    each(lab, [machine], options, async (work, record, [one]) => {
      if (one) await setCable(work.places, record, one, false, work.lock.fd);
    }),
  heal: (lab, machine, options) =>
    each(lab, [machine], options, async (work, record, [one]) => {
      if (one) await setCable(work.places, record, one, true, work.lock.fd);
    }),
  delay: (lab, machine, ms, options) =>
    each(lab, [machine], options, async (work, record, [one]) => {
      if (!(ms >= 0 && ms <= 60_000)) throw kubexmError('KX6005', { detail: `delay ${ms} ms` });
      if (one) await setDelay(work.places, record, one, Math.round(ms), work.lock.fd);
    }),
  snapshot: (lab, snapshot, options) =>
    withLab(lab, options, (work) => takeSnapshot(work, wholeLab(work, lab), snapshot)),
  restore: (lab, snapshot, options) =>
    withLab(lab, options, async (work) => {
      const record = mustRead(work.places, lab);
      await restoreSnapshot(work, record.phase === 'restoring' ? record : wholeLab(work, lab), snapshot);
    }),
  exec: execIn,
};

async function each(
  lab: string,
  machines: readonly string[],
  options: LabOptions,
  act: (work: Work, record: LabRecord, machines: LabRecord['machines']) => Promise<void>,
): Promise<void> {
  mustRead(placesOf(options), lab);
  await withLab(lab, options, (work) => {
    const record = wholeLab(work, lab);
    return act(work, record, machinesOf(record, machines));
  });
}

/** What `lab diff` compares with later. */
function baselineOf(machine: LabMachine): Promise<void> {
  return takeBaseline(machine, (one, command, more = {}) => execIn(one, command, more));
}

function placesOf(options: LabOptions): LabPlaces {
  return labPlaces(options.env ?? process.env);
}

function labOf(places: LabPlaces, record: LabRecord): Lab {
  const network = boxNetwork(record);
  return {
    name: record.name,
    provider: record.provider,
    phase: record.phase === 'ready' || record.phase === 'restoring' ? record.phase : 'partial',
    image: record.image,
    ...(record.memoryBytes !== undefined && { memoryBytes: record.memoryBytes }),
    user: record.user,
    created: record.created,
    subnet: record.subnet,
    gateway: network.address,
    link: network.link,
    repository: `http://${network.address}:${record.port}`,
    dir: labDir(places, record.name),
    machines: record.machines.map((machine) => lookAt(places, record, machine)),
    snapshots: snapshotNames(places, record.name),
  };
}
