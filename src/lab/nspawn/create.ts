import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import { isLabName, isUserName, linkName, MACHINES_MAX, machineName } from '../names.ts';
import { chooseSubnet, overlapping, parseSubnet, subnet6 } from '../subnet.ts';
import { type AfterFirstBoot, LAB_IMAGES, type LabImage, type LabSpec } from '../types.ts';
import { type Base, ensureBase } from './base.ts';
import { settle, startMachines } from './boot.ts';
import { enterLab, withBox } from './box.ts';
import { execIn } from './exec.ts';
import { lookAt, prepareMachine } from './machine.ts';
import { linkExists, takenNetworks } from './network.ts';
import { boxNetwork, type LabRecord, labDir, memberOf, readRecord, readRecords, writeRecord } from './record.ts';
import { freePort } from './repository/start.ts';
import { ensurePrograms } from './requirements.ts';
import { must, run } from './run.ts';
import type { Work } from './work.ts';

const MEMORY_LEAST = 128 * 1024 * 1024;

/** What is wrong with a wish; undefined when nothing is. */
export function specProblem(spec: LabSpec): string | undefined {
  if (!isLabName(spec.name))
    return `name ${JSON.stringify(spec.name)}: lower-case letters, digits and dashes, at most 40`;
  if (!Number.isInteger(spec.machines) || spec.machines < 1 || spec.machines > MACHINES_MAX) {
    return `machines ${spec.machines}: 1 to ${MACHINES_MAX}`;
  }
  if (spec.image !== undefined && !LAB_IMAGES.includes(spec.image))
    return `image ${spec.image}: ${LAB_IMAGES.join(', ')}`;
  if (spec.memoryBytes !== undefined && !(spec.memoryBytes >= MEMORY_LEAST))
    return `memory ${spec.memoryBytes}: at least 128Mi`;
  if (spec.user !== undefined && !isUserName(spec.user)) return `user ${JSON.stringify(spec.user)}`;
  if (spec.sudoPassword !== undefined && (spec.user ?? 'root') === 'root') return 'sudo password: root needs none';
  if (spec.sudoPassword !== undefined && !/^[^\0\r\n]{1,200}$/.test(spec.sudoPassword))
    return 'sudo password: one line';
  if (spec.subnet !== undefined && parseSubnet(spec.subnet) === undefined)
    return `subnet ${spec.subnet}: such as 10.88.7.0/24`;
  return undefined;
}

/** Refuses a wish that cannot come true. */
export function checkSpec(spec: LabSpec): void {
  const problem = specProblem(spec);
  if (problem !== undefined) throw kubexmError('KX6005', { detail: problem });
}

/** Makes a lab. Whatever it makes is on record before. */
export async function makeLab(work: Work, spec: LabSpec, afterFirstBoot: AfterFirstBoot): Promise<void> {
  await ensurePrograms(work);
  const image = spec.image ?? 'debian-12';
  const dir = labDir(work.places, spec.name);
  const existing = readRecord(work.places, spec.name);
  if (existing && existing.phase !== 'ready') throw kubexmError('KX6013', { name: spec.name, what: existing.phase });
  if (existsSync(dir)) throw kubexmError('KX6002', { name: spec.name });
  await checkPlace(work);
  const base = await ensureBase(work.places, image, work);
  const record = await reserve(work, spec, image, base);
  work.report({ type: 'network', subnet: record.subnet, link: boxNetwork(record).link });
  if (spec.sudoPassword !== undefined)
    writeFileSync(join(dir, 'sudo-password'), `${spec.sudoPassword}\n`, { mode: 0o600 });
  const key = join(dir, 'id_ed25519');
  const lock = work.lock.fd;
  await must('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `lab ${spec.name}`, '-f', key], { lock });
  await settle(
    record.machines.map(async (machine) => {
      work.machine(machine.name, 'preparing');
      await prepareMachine(work.places, record, machine, lock);
    }),
  );
  await startMachines(work, record, record.machines);
  await settle(
    record.machines.map(async (machine) => {
      const seen = lookAt(work.places, record, machine);
      // What boots on by itself after the login must not look like a change.
      await execIn(seen, ['systemctl', 'is-system-running', '--wait'], { timeoutMs: 60_000 });
      work.machine(machine.name, 'baseline');
      await afterFirstBoot(seen);
    }),
  );
  writeRecord(work.places, { ...record, phase: 'ready' });
}

/** Chooses what must be nobody else's, and puts it on record, while nobody else on this box chooses. */
async function reserve(work: Work, spec: LabSpec, image: LabImage, base: Base): Promise<LabRecord> {
  const signal = work.signal && { signal: work.signal };
  const onWait = (): void => work.report({ type: 'waiting', for: 'box' });
  return withBox({ ...signal, onWait }, async (lock, reserved) => {
    const others = readRecords(work.places).records.map((one) => one.subnet);
    const taken = [...(await takenNetworks(lock.fd)), ...others, ...reserved];
    const wanted = spec.subnet === undefined ? undefined : parseSubnet(spec.subnet);
    const other = wanted === undefined ? undefined : overlapping(wanted, taken);
    if (wanted !== undefined && other !== undefined) throw kubexmError('KX6010', { subnet: wanted, other });
    const subnet = wanted ?? chooseSubnet(spec.name, taken);
    if (subnet === undefined) throw kubexmError('KX6011', {});
    const id = randomBytes(3).toString('hex');
    const record: LabRecord = {
      version: 1,
      provider: 'nspawn',
      name: spec.name,
      id,
      created: new Date().toISOString(),
      phase: 'making',
      image,
      base: base.dir,
      ...(spec.memoryBytes !== undefined && { memoryBytes: spec.memoryBytes }),
      user: spec.user ?? 'root',
      sudoPassword: spec.sudoPassword !== undefined,
      subnet,
      ...(existsSync('/proc/net/if_inet6') && { subnet6: subnet6(id) }),
      linkSalt: linkExists(linkName(spec.name)) ? id : '',
      port: freePort(),
      sources: base.sources,
      machines: Array.from({ length: spec.machines }, (_, i) => ({
        name: machineName(spec.name, i + 1),
        index: i + 1,
      })),
    };
    writeRecord(work.places, record);
    enterLab(memberOf(work.places, record));
    return record;
  });
}

/** An overlay can be laid only in some file systems: found out before much is made. */
async function checkPlace(work: Work): Promise<void> {
  mkdirSync(work.places.labs, { recursive: true, mode: 0o700 });
  const reason = work.places.labs.startsWith('/run/') ? 'what is in /run is gone after a boot' : undefined;
  const script = `dir=$(mktemp -d "$1/.probe.XXXXXX") || exit 1
cd "$dir" && mkdir lower upper work root && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work root
rc=$?
umount root 2>/dev/null
cd / && rm -r -- "$dir"/lower "$dir"/upper "$dir"/root && rm -rf -- "$dir/work" && rmdir -- "$dir"
exit "$rc"`;
  const { code, stderr } = await run(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', script, 'probe', work.places.labs],
    { lock: work.lock.fd },
  );
  if (reason !== undefined || code !== 0) {
    throw kubexmError('KX6021', {
      dir: work.places.labs,
      reason: reason ?? (stderr.trim().split('\n')[0] || 'no overlay'),
    });
  }
}
