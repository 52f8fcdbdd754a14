import { readFile } from 'node:fs/promises';
import { kubexmError } from '../../model/errors/index.ts';
import type { ExecOptions, ExecResult, LabMachine, MachineCommand } from '../types.ts';
import { readGroups, readPackages, readUsers } from './read-accounts.ts';
import { readIpsets, readIptables, readNftables } from './read-filters.ts';
import { readAddresses, readLinks, readPorts, readRoutes, readRules } from './read-network.ts';
import { readCgroups, readModules, readMounts, readOne, readSwaps, readSysctls, readUnits } from './read-system.ts';
import { type Answers, type Question, stateScript } from './script.ts';
import { DIFF_TOOLS, type DiffTool } from './tools.ts';
import type { CollectedState, Entries, StateSection, Unseen } from './types.ts';

/** Runs something in a machine: `execInMachine`. */
export type MachineExec = (machine: LabMachine, command: MachineCommand, options?: ExecOptions) => Promise<ExecResult>;

/** What a section is made of, or why it cannot be read. */
type Found = { readonly entries: Entries } | { readonly reason: string };

const TIMEOUT_MS = 120_000;

/** Asks a running machine for everything but its files. Nothing is changed there. */
export async function collectState(machine: LabMachine, exec: MachineExec): Promise<CollectedState> {
  const { script, read } = stateScript();
  const { code, stdout, stderr } = await exec(machine, script, { timeoutMs: TIMEOUT_MS });
  const answers = read(stdout);
  if (answers.size === 0) {
    throw kubexmError(
      'KX6611',
      { what: machine.name, reason: `the script ended with ${code}` },
      { detail: stderr.slice(-2000), host: machine.name },
    );
  }
  const box = await readFile('/proc/modules', 'utf8').catch(() => '');
  return stateOf({ ...fromAnswers(answers, box), ...(await fromNetwork(machine, exec)) });
}

/** The sections that the machine's own answers tell. */
function fromAnswers(answers: Answers, boxModules: string): Record<AnsweredSection, Found> {
  const told = (needed: readonly Question[], make: (...texts: string[]) => Entries): Found => {
    const texts: string[] = [];
    for (const name of needed) {
      const answer = answers.get(name);
      if (answer === undefined || answer.code !== 0) return { reason: reasonOf(name, answer?.code) };
      texts.push(answer.text);
    }
    return { entries: make(...texts) };
  };
  // These files need not be there.
  const given = (name: Question) => answers.get(name)?.text ?? '';
  const range = readSysctls(given('sysctls')).get('net/ipv4/ip_local_port_range')?.['value'];
  return {
    package: told(['packages'], (list = '') => readPackages(list, given('marks'))),
    user: told(['passwd', 'shadow'], (passwd = '', shadow = '') =>
      readUsers({ passwd, shadow, subuid: given('subuid'), subgid: given('subgid') }),
    ),
    group: told(['group'], (group = '') => readGroups(group, given('gshadow'))),
    unit: told(['unitLinks', 'units'], (links = '', units = '') => readUnits(links, units)),
    hostname: told(['hostname'], (name = '') => readOne('hostname', name)),
    timezone: told(['timezone'], (name = '') => readOne('timezone', name)),
    link: told(['links'], (json = '') => readLinks(json)),
    address: told(['addresses'], (json = '') => readAddresses(json)),
    route: told(['routes'], (json = '') => readRoutes(json, given('routes6'))),
    rule: told(['rules'], (json = '') => readRules(json, given('rules6'))),
    mount: told(['mounts'], (text = '') => readMounts(text)),
    cgroup: told(['cgroups'], (text = '') => readCgroups(text)),
    sysctl: told(['sysctls'], (text = '') => readSysctls(text)),
    // A kernel without modules has no list of them.
    module: { entries: readModules(given('modules'), boxModules) },
    port: told(['sockets'], (text = '') => readPorts(text, range)),
    swap: told(['swaps'], (text = '') => readSwaps(text)),
  };
}

type NetworkSection = 'nftables' | 'iptables' | 'ipset';
type AnsweredSection = Exclude<StateSection, NetworkSection>;

/** Filters are read with the box's own programs, in the machine's network: a bare machine has none. */
async function fromNetwork(machine: LabMachine, exec: MachineExec): Promise<Record<NetworkSection, Found>> {
  const ask = async (tool: DiffTool, args: string, make: (text: string) => Entries): Promise<Found> => {
    const { code, stdout, stderr } = await exec(
      machine,
      `export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"; command -v ${tool} >/dev/null || exit 127; exec ${tool} ${args}`,
      { networkOnly: true, timeoutMs: TIMEOUT_MS },
    );
    if (code === 0) return { entries: make(stdout) };
    if (code === 127) return { reason: `${tool} is not installed on this machine (package ${DIFF_TOOLS[tool]})` };
    // A kernel that has no such thing has none of it.
    if (/Protocol not supported|Cannot open session to kernel|does not exist|not supported/i.test(stderr)) {
      return { entries: new Map() };
    }
    return { reason: stderr.trim().split('\n').at(-1) || `${tool} ended with ${code}` };
  };
  const legacy = await exec(machine, 'cat /proc/net/ip_tables_names /proc/net/ip6_tables_names 2>/dev/null; true', {
    networkOnly: true,
    timeoutMs: TIMEOUT_MS,
  });
  const [nftables, ipset, four, six] = await Promise.all([
    ask('nft', '-s list ruleset', readNftables),
    ask('ipset', 'save', readIpsets),
    // To ask for the tables is to make them: only where there are some.
    legacy.stdout.trim() === ''
      ? { entries: new Map() }
      : ask('iptables-legacy-save', '', (text) => readIptables('ipv4', text)),
    legacy.stdout.trim() === ''
      ? { entries: new Map() }
      : ask('ip6tables-legacy-save', '', (text) => readIptables('ipv6', text)),
  ]);
  return { nftables, ipset, iptables: bothOf(four, six) };
}

function bothOf(one: Found, other: Found): Found {
  if ('reason' in one) return one;
  return 'reason' in other ? other : { entries: new Map([...one.entries, ...other.entries]) };
}

function stateOf(found: Readonly<Record<StateSection, Found>>): CollectedState {
  const sections = new Map<StateSection, Entries>();
  const unseen: Unseen[] = [];
  for (const [name, one] of Object.entries(found)) {
    const section = name as StateSection;
    if ('entries' in one) sections.set(section, one.entries);
    else unseen.push({ section, reason: one.reason });
  }
  return { sections, unseen };
}

function reasonOf(question: Question, code: number | undefined): string {
  if (code === undefined) return `the machine did not answer (${question})`;
  return code === 127 ? `the machine lacks the program for it (${question})` : `${question} ended with ${code}`;
}
