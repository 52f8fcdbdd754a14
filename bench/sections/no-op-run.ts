import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAnsible } from '../lib/ansible.ts';
import { buildProgram, bundle } from '../lib/bundle.ts';
import { writeConfig } from '../lib/config.ts';
import { type BenchHosts, noHosts, withHosts } from '../lib/hosts.ts';
import { runKubexm } from '../lib/kubexm.ts';
import { type Peers, peers } from '../lib/peers.ts';
import { runProcess } from '../lib/process.ts';
import { writePyinfra } from '../lib/pyinfra.ts';
import { atLeast, info, type Section } from '../lib/report.ts';
import { interleave, ratios, sampleOf } from '../lib/stats.ts';

const HOSTS = 10;
const STEPS = 20;
// Ansible takes most of the time: the others run more often between its runs.
const ROUNDS = 3;
const AGAIN = 3;

/** A run that finds everything as it should be, against the same by others. */
export const noOpRun: Section = {
  name: 'no-op',
  title: 'A run with nothing to do',
  problem: noHosts,
  async run() {
    const others = await peers();
    await buildProgram();
    return await withHosts(HOSTS, async (hosts) => {
      const contestants = {
        ansible: await ansible(hosts, others),
        pyinfra: await pyinfra(hosts, others),
        kubexm: await kubexm(hosts),
      };
      const often = (one: () => Promise<number>) => async () => {
        const times: number[] = [];
        for (let i = 0; i < AGAIN; i++) times.push(await one());
        return times;
      };
      const turns = await interleave(ROUNDS, {
        ansible: async () => [await contestants.ansible()],
        pyinfra: often(contestants.pyinfra),
        kubexm: often(contestants.kubexm),
      });
      const medians = (times: readonly (readonly number[])[]) => times.map((round) => sampleOf(round).median);
      const ours = medians(turns.kubexm);
      const toAnsible = ratios(medians(turns.ansible), ours);
      const toPyinfra = ratios(medians(turns.pyinfra), ours);
      return {
        rows: [
          info('kubexm', sampleOf(turns.kubexm.flat()), 's', 2),
          info(`ansible-core ${others.ansible}, pipelining, 25 forks`, sampleOf(turns.ansible.flat()), 's', 1),
          info(`pyinfra ${others.pyinfra}`, sampleOf(turns.pyinfra.flat()), 's', 2),
          atLeast('faster than ansible-core', 40, toAnsible, '×', 1),
          atLeast('faster than pyinfra', 2.5, toPyinfra, '×', 1),
        ],
        how: [
          `${HOSTS} hosts, each a real OpenSSH server on loopback with its own files and processes; ${STEPS} things on each: 5 ` +
            'directories, 7 files with content, 3 links, 2 managed blocks, 2 files to be absent, 1 mode. Each contestant made ' +
            'them once; measured is the whole process when nothing is left to do, from start to exit, with new logins, and it ' +
            'counts only if nothing was changed.',
          'kubexm is the built library with a pipeline of its generic steps: it also gathers facts, takes and releases the locks ' +
            'of the hosts, plans, and writes journal, log and event store. ansible runs with `gather_facts: false` and ' +
            `connections of its own each time. ${ROUNDS} rounds; in each, ansible ran once, the others ${AGAIN} times. The factors ` +
            "are those of each round's medians.",
        ],
      };
    });
  },
};

async function kubexm(hosts: BenchHosts): Promise<() => Promise<number>> {
  const base = join(hosts.dir, 'kubexm');
  mkdirSync(base);
  const file = await bundle('run', hosts.dir);
  const settings = { config: writeConfig(base, hosts), base, root: '/srv/kubexm' };
  await runKubexm(file, settings, undefined);
  return async () => (await runKubexm(file, settings, { satisfied: HOSTS * STEPS })).seconds;
}

async function ansible(hosts: BenchHosts, { bin }: Peers): Promise<() => Promise<number>> {
  const dir = join(hosts.dir, 'ansible');
  mkdirSync(dir);
  const { playbook, config, sockets } = writeAnsible(dir, '/srv/ansible', hosts);
  const play = async () => {
    const env = { ...process.env, ANSIBLE_CONFIG: config, ANSIBLE_HOME: join(dir, 'home') };
    const ended = await runProcess(join(bin, 'ansible-playbook'), [playbook], { env });
    // Connections that outlive the process would spare the next one its logins.
    await runProcess('sh', [
      '-c',
      'for one in "$0"/*; do ssh -O exit -S "$one" bench; done 2>/dev/null; true',
      sockets,
    ]);
    rmSync(sockets, { recursive: true, force: true });
    return ended;
  };
  await play();
  return async () => {
    const { stdout, seconds } = await play();
    const quiet = stdout.match(new RegExp(`ok=${STEPS} +changed=0 +unreachable=0 +failed=0`, 'g'))?.length;
    if (quiet !== HOSTS) throw new Error(`ansible changed something:\n${stdout.slice(-2000)}`);
    return seconds;
  };
}

async function pyinfra(hosts: BenchHosts, { bin }: Peers): Promise<() => Promise<number>> {
  const dir = join(hosts.dir, 'pyinfra');
  mkdirSync(dir);
  const { inventory, deploy } = writePyinfra(dir, '/srv/pyinfra', hosts);
  const run = () => runProcess(join(bin, 'pyinfra'), ['-y', inventory, deploy], { cwd: dir });
  await run();
  return async () => {
    const { stdout, stderr, seconds } = await run();
    const all = HOSTS * STEPS;
    if (!new RegExp(`Grand total +${all} +- +- +${all}`).test(`${stdout}${stderr}`)) {
      throw new Error(`pyinfra changed something:\n${stderr.slice(-2000)}`);
    }
    return seconds;
  };
}
