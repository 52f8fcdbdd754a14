import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LabMachine, LabPlaces, MachineState } from '../types.ts';
import { LAB_LIB } from './init-script.ts';
import { launchScript } from './launch-script.ts';
import { meminfoText, swapsText } from './meminfo.ts';
import { firstProcess } from './processes.ts';
import {
  boxNetwork,
  cgroupsOf,
  type LabRecord,
  labDir,
  launcherGroup,
  type MachineRecord,
  machineNetwork,
  machinePaths,
} from './record.ts';
import { must } from './run.ts';
import { deb822 } from './sources.ts';

const DEVICES = ['/dev/kmsg', '/dev/fuse', '/dev/net/tun'];

/** Fills the machine's root before its first boot, in a mount namespace that is gone afterwards. Standard input: user:password. */
const PREPARE = `set -eu
dir=$1 user=$2 sudo=$3
umask 022
cd "$dir"
mount -t overlay overlay -o lowerdir=base,upperdir=upper,workdir=work,redirect_dir=off,metacopy=off root
cp -R seed/. root/
if [ "$user" != root ]; then
  chroot root useradd --create-home --shell /bin/bash --groups sudo -- "$user"
  mkdir -m 0700 "root/home/$user/.ssh"
  cp ../../id_ed25519.pub "root/home/$user/.ssh/authorized_keys"
  chmod 0600 "root/home/$user/.ssh/authorized_keys"
  chroot root chown -R "$user:" "/home/$user/.ssh"
  if [ "$sudo" = password ]; then
    chroot root chpasswd
  else
    echo "$user ALL=(ALL:ALL) NOPASSWD: ALL" >"root/etc/sudoers.d/$user"
    chmod 0440 "root/etc/sudoers.d/$user"
  fi
fi
`;

/** Makes a machine's directory and all that is its own: name, keys, addresses, users. */
export async function prepareMachine(
  places: LabPlaces,
  record: LabRecord,
  machine: MachineRecord,
  lock: number,
): Promise<void> {
  const paths = machinePaths(places, record.name, machine.name);
  for (const dir of ['upper', 'work', 'root', 'boot', 'seed', ...paths.data.map((one) => join('data', one.name))]) {
    mkdirSync(join(paths.dir, dir), { recursive: true, mode: 0o700 });
  }
  // What is seen inside is as the image has it, whatever the umask.
  for (const dir of [paths.upper, join(paths.dir, 'boot'), ...paths.data.map((one) => one.outside)])
    chmodSync(dir, 0o755);
  symlinkSync(record.base, join(paths.dir, 'base'));
  writeFileSync(join(paths.dir, 'boot', 'swaps'), swapsText());
  if (record.memoryBytes !== undefined) {
    const box = readFileSync('/proc/meminfo', 'utf8');
    writeFileSync(join(paths.dir, 'boot', 'meminfo'), meminfoText(box, record.memoryBytes));
  }
  await must('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', machine.name, '-f', paths.hostKey], { lock });
  await writeSeed(join(paths.dir, 'seed'), places, record, machine);
  const dir = labDir(places, record.name);
  const sudo = record.sudoPassword ? 'password' : 'free';
  const password = record.sudoPassword ? readFileSync(join(dir, 'sudo-password'), 'utf8').trimEnd() : '';
  const alone = ['--mount', '--propagation', 'private', 'sh', '-c', PREPARE, 'prepare', paths.dir, record.user, sudo];
  await must('unshare', alone, { lock, input: record.sudoPassword ? `${record.user}:${password}\n` : '' });
  await rm(join(paths.dir, 'seed'), { recursive: true });
  writeLauncher(places, record, machine);
}

/** Rewrites the launcher: a later kubexm, or a box with other control groups, needs another one. */
export function writeLauncher(places: LabPlaces, record: LabRecord, machine: MachineRecord): void {
  const paths = machinePaths(places, record.name, machine.name);
  const groups = cgroupsOf(record);
  const script = launchScript({
    machine: machine.name,
    dir: paths.dir,
    launcherGroup: groups.main(launcherGroup(machine.name)),
    groups: groups.paths(machine.name),
    network: machineNetwork(record, machine.index),
    gateway: boxNetwork(record).address,
    binds: paths.data.map((one) => [one.outside, one.inside]),
    readOnlyBinds: [
      [join(paths.dir, 'boot'), `${LAB_LIB}/boot`],
      [join(labDir(places, record.name), 'modules', 'lib', 'modules'), '/usr/lib/modules'],
    ],
    devices: DEVICES.filter((device) => existsSync(device)),
  });
  writeFileSync(paths.launch, script, { mode: 0o700 });
}

/** A machine as it is now. */
export function lookAt(places: LabPlaces, record: LabRecord, machine: MachineRecord): LabMachine {
  const paths = machinePaths(places, record.name, machine.name);
  const network = machineNetwork(record, machine.index);
  const pid = firstProcess(cgroupsOf(record).processes(machine.name));
  const dir = labDir(places, record.name);
  return {
    name: machine.name,
    lab: record.name,
    index: machine.index,
    state: stateOf(record, machine, paths.launch, pid),
    address: network.address,
    ...(network.address6 !== undefined && { address6: network.address6 }),
    user: record.user,
    sshKeyPath: join(dir, 'id_ed25519'),
    hostKey: publicKey(`${paths.hostKey}.pub`),
    ...(record.sudoPassword && { sudoPasswordFile: join(dir, 'sudo-password') }),
    ...(pid !== undefined && { pid, rootDir: `/proc/${pid}/root` }),
    partitioned: existsSync(paths.partitioned),
    delayMs: existsSync(paths.delay) ? Number(readFileSync(paths.delay, 'utf8')) : 0,
    dir: paths.dir,
    upperDir: paths.upper,
    baseDir: record.base,
    dataDirs: paths.data.map(({ inside, outside }) => ({ inside, outside })),
  };
}

function stateOf(record: LabRecord, machine: MachineRecord, launch: string, pid: number | undefined): MachineState {
  if (pid !== undefined) return 'running';
  if (cgroupsOf(record).processes(launcherGroup(machine.name)).length > 0) return 'starting';
  return existsSync(launch) ? 'stopped' : 'missing';
}

function publicKey(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').slice(0, 2).join(' ').trim() : '';
}

async function writeSeed(seed: string, places: LabPlaces, record: LabRecord, machine: MachineRecord): Promise<void> {
  const { address } = machineNetwork(record, machine.index);
  const gateway = boxNetwork(record).address;
  const paths = machinePaths(places, record.name, machine.name);
  const put = async (path: string, text: string, mode = 0o644): Promise<void> => {
    await mkdir(join(seed, dirname(path)), { recursive: true, mode: 0o755 });
    await writeFile(join(seed, path), text, { mode });
    await chmod(join(seed, path), mode);
  };
  await put('etc/hostname', `${machine.name}\n`);
  await put('etc/hosts', `127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n${address} ${machine.name}\n`);
  await put('etc/machine-id', `${randomBytes(16).toString('hex')}\n`, 0o444);
  // Nothing answers there: names of the world are not known in a lab, and that is said at once.
  await put('etc/resolv.conf', `nameserver ${gateway}\n`);
  const sources = record.sources.map((source, i) => ({
    ...source,
    uri: `http://${gateway}:${record.port}/${i}`,
    ...(isKeyring(source.signedBy) && { signedBy: `/etc/apt/keyrings/${basename(source.signedBy)}` }),
  }));
  await put('etc/apt/sources.list.d/lab.sources', sources.map((source) => deb822(source)).join('\n'));
  for (const { signedBy } of record.sources) {
    if (!isKeyring(signedBy)) continue;
    await put(`etc/apt/keyrings/${basename(signedBy)}`, '');
    await copyFile(signedBy, join(seed, 'etc/apt/keyrings', basename(signedBy)));
  }
  await put('etc/ssh/ssh_host_ed25519_key', readFileSync(paths.hostKey, 'utf8'), 0o600);
  await put('etc/ssh/ssh_host_ed25519_key.pub', readFileSync(`${paths.hostKey}.pub`, 'utf8'));
  if (record.user !== 'root') return;
  await mkdir(join(seed, 'root/.ssh'), { recursive: true, mode: 0o700 });
  const key = readFileSync(join(labDir(places, record.name), 'id_ed25519.pub'), 'utf8');
  await writeFile(join(seed, 'root/.ssh/authorized_keys'), key, { mode: 0o600 });
}

/** A file of the box's own; Debian's keys are in every image. */
function isKeyring(signedBy: string | undefined): signedBy is string {
  return signedBy?.startsWith('/') === true && !signedBy.includes('debian-archive') && existsSync(signedBy);
}
