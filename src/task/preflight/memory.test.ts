import { describe, expect, test } from 'vitest';
import { causes, Rig } from '../../../test/rig/engine.ts';
import { MemoryHost, MemoryMachine } from '../../../test/rig/memory/memory.ts';
import { type ConfigParts, configFor, planContextFor } from '../../../test/support/plan-context.ts';
import { eventLines } from '../../cli/report/step-report.ts';
import { catalogue, type ErrorCode, type Lang, type Text } from '../../model/errors/index.ts';
import type { Facts } from '../../model/facts.ts';
import { type Output, output } from '../../model/host.ts';
import { confirmation, preflight } from '../../module/preflight.ts';
import type { Question } from '../../plan/step.ts';

const GB = 1e9;
const HOSTS = ['cp1', 'node1', 'node2'];

/** What a good machine says of itself, beside its facts. */
const LOOK = {
  owner: '',
  uuid: '',
  modules: '',
  left: '',
  processes: '',
  ports: '',
  own: '10.2.0.1 node1',
  nameservers: '10.2.0.53 yes',
  domain: 'known',
  taken: '',
};
const GOOD: Partial<Facts> = {
  commands: ['ip', 'modprobe', 'mount', 'sysctl', 'tar', 'conntrack', 'ebtables', 'ipset', 'socat'],
  cpus: 2,
  memoryBytes: 4 * GB,
  mounts: [{ path: '/', type: 'ext4', bytes: 100 * GB, freeBytes: 50 * GB }],
};

/** What a machine answers to the scripts of preflight. */
interface Answers {
  readonly look: Partial<typeof LOOK>;
  readonly listen: string;
  readonly reach: string;
  /** Microseconds that a durable write takes. */
  readonly write: string;
}

/** A host that has no shell, and says what the scripts of preflight would print. */
class Answering extends MemoryHost {
  answers: Partial<Answers> = {};

  override async execute(script: string, options = {}): Promise<Output> {
    const { look, listen = 'listening', reach = '', write = '900' } = this.answers;
    if (script.includes("echo '@@ owner'")) return output(0, sections({ ...LOOK, uuid: this.name, ...look }));
    if (/\nkxp_listen \d/.test(script)) return output(0, `${listen}\n`);
    if (/\nkxp_begin \d/.test(script)) return output(0, `${reach}\ndone\n`);
    if (script.includes('oflag=dsync')) return output(0, `${write}\n`);
    if (/\nkxp_unlisten$/.test(script)) return output(0);
    return await super.execute(script, options);
  }
}

const sections = (look: Readonly<Record<string, string>>) =>
  Object.entries(look)
    .map(([name, text]) => `@@ ${name}\n${text}\n`)
    .join('');

/** What is different from a cluster in which nothing is found. */
interface Case extends Partial<Answers> {
  /** On these hosts. Default: node1. */
  readonly on?: readonly string[];
  readonly facts?: Partial<Facts>;
  readonly config?: ConfigParts;
  /** A text of the file, and what stands there instead. */
  readonly file?: readonly [string, string];
  /** What is found besides, because it cannot be otherwise. */
  readonly also?: readonly ErrorCode[];
}

const os = (id: string, version: string, name: string, family: Facts['os']['family']) => ({
  os: { id, version, name, family },
});
const addresses = (...list: readonly string[]) => ({
  addresses: list.map((address) => ({ device: 'enp1s0', address, prefix: 24, family: 4 as const })),
});
const disk = (freeGb: number) => ({
  mounts: [{ path: '/', type: 'ext4', bytes: 100 * GB, freeBytes: freeGb * GB }],
});
const small = { mounts: [{ path: '/', type: 'ext4', bytes: 10 * GB, freeBytes: 2.4 * GB }] };
const VIRTUAL = '  controlPlaneEndpoint: {internalLoadbalancer: kube-vip, lb_address: 10.1.0.100}';
const BALANCED = '  controlPlaneEndpoint: {externalDNS: true, domain: cp.example.com, externalLoadBalancer: external}';

type Code = Exclude<Extract<ErrorCode, `KX45${string}`>, 'KX4500'>;

/** Every finding, and what makes it. */
const CASES: Readonly<Record<Code, Case>> = {
  KX4501: { facts: { root: false } },
  KX4502: { facts: os('alpine', '3.21', 'Alpine Linux v3.21', 'alpine') },
  KX4503: { facts: os('kylin', 'V10', 'Kylin Linux Advanced Server V10', 'rhel') },
  KX4504: { facts: { init: 'openrc' } },
  KX4505: { facts: { arch: 'riscv64' } },
  KX4506: { file: ['address: 10.2.0.1}', 'address: 10.2.0.1, arch: arm64}'] },
  KX4507: { facts: { cpus: 1 } },
  KX4508: { facts: { memoryBytes: 1.8 * GB } },
  KX4509: { facts: { kernel: '2.6.32-754.el6.x86_64' } },
  KX4510: { look: { modules: 'module br_netfilter missing' } },
  KX4511: { look: { modules: 'module overlay loadable overlay\nmodule vxlan loadable vxlan' } },
  KX4513: { facts: { cgroup: 1 }, config: { version: 'v1.35.0' } },
  KX4514: { facts: { cgroup: 0 } },
  KX4515: { facts: { capabilities: ['sys_admin'] } },
  KX4516: { facts: { commands: GOOD.commands!.filter((name) => name !== 'tar' && name !== 'sysctl') } },
  KX4517: { facts: { commands: GOOD.commands!.filter((name) => name !== 'socat') } },
  KX4518: { facts: { selinux: 'enforcing' } },
  KX4519: { facts: { firewall: ['firewalld'] } },
  KX4520: { facts: { swapBytes: GB } },
  KX4521: { facts: { hostname: 'Node_1' } },
  KX4522: { look: { own: '127.0.1.1 node1' } },
  KX4523: { on: ['node1', 'node2'], facts: { hostname: 'localhost' }, also: ['KX4521'] },
  KX4524: { facts: addresses('192.0.2.7') },
  KX4525: { facts: addresses('10.2.0.1', '10.1.0.1') },
  KX4526: { on: ['node1', 'node2'], facts: { machineId: '6f1d0c5e5a0b4e7c9f3a2b1c0d9e8f7a' } },
  KX4527: { on: ['node1', 'node2'], look: { uuid: '4c4c4544-0042-3510-8052-b4c04f4e4d32' } },
  KX4528: { facts: { timeOffsetMs: -12_300 } },
  KX4529: { facts: { ntp: 'none' } },
  KX4530: { look: { left: '/etc/kubernetes\nkubelet.service', processes: 'kubelet' } },
  KX4531: { look: { owner: 'a-b-c other' } },
  KX4532: { look: { processes: 'containerd' } },
  KX4533: { look: { processes: 'dockerd' } },
  KX4535: { look: { ports: '10250 812 nginx' } },
  KX4536: { look: { nameservers: '' } },
  KX4538: { look: { nameservers: '10.0.0.2 no\n10.0.0.1 no' } },
  KX4539: { look: { domain: '' }, config: { more: BALANCED } },
  KX4540: { reach: 'no cp1 6443' },
  KX4541: { on: ['cp1'], reach: 'no node1 10250\nno node2 10250' },
  KX4542: { listen: 'none' },
  KX4543: { facts: { routes: [{ destination: '10.233.65.0/24', device: 'eth1' }] } },
  KX4544: { facts: { routes: [{ destination: '10.232.0.0/13', device: 'eth1' }] } },
  KX4545: { facts: disk(9.9) },
  KX4546: { on: ['cp1', 'node1'], facts: small },
  KX4547: { on: ['cp1'], write: '23400' },
  KX4548: { on: ['cp1'], look: { taken: '10.1.0.100' }, config: { more: VIRTUAL } },
};

/** The checks, as create cluster makes them, on hosts in memory. */
async function tableOf(one: Case, lang: Lang, dryRun = false) {
  const { on = ['node1'], facts = {}, config = {}, file = ['', ''], also: _also, ...answers } = one;
  const text = configFor({ workers: 2, ...config }).replace(...file);
  const context = await planContextFor(text, {
    facts: ({ name }) => ({ ...GOOD, ...(on.includes(name) ? facts : {}) }),
  });
  const rig = new Rig([]);
  for (const host of context.hosts) {
    const made = new Answering(host.name);
    if (on.includes(host.name)) made.answers = answers;
    rig.hosts.set(host.name, made);
    rig.machines.set(host.name, new MemoryMachine(made, { facts: host.facts }));
  }
  const result = await rig.run(preflight.plan(context), { dryRun });
  const told = rig.of('node-report').at(-1);
  const table = told ? eventLines({ ...told, at: 0, run: '' }, { lang }).join('\n') : '';
  return { result, table, codes: [...new Set(table.match(/KX\d{4}/g))] };
}

describe('every finding, by the real steps on hosts in memory', () => {
  test('nothing is found where nothing is wrong', async () => {
    const { result, table } = await tableOf({}, 'en');
    expect([table, result.outcome]).toEqual([`Preflight. Hosts: ${HOSTS.length}, nothing found.`, 'succeeded']);
  });

  // Refresh with: npm test -- src/task/preflight/memory.test.ts -u
  test.each<Lang>(['en', 'zh'])('is reported with a remedy, in %s', async (lang) => {
    const tables: string[] = [];
    for (const [code, one] of Object.entries(CASES)) {
      const { result, table, codes } = await tableOf(one, lang);
      expect([code, codes.toSorted()]).toEqual([code, [code, ...(one.also ?? [])].toSorted()]);
      const isError = /^(error|错误) /m.test(table);
      expect([code, causes(result)]).toEqual([code, isError ? ['KX4500 preflight/check/findings@local'] : []]);
      tables.push(`${table}\n`);
    }
    await expect(tables.join('\n')).toMatchFileSnapshot(`tables/findings.${lang}.txt`);
  });

  test.each([
    ['an error', 'KX4535', ['KX4500 preflight/check/findings@local']],
    ['a warning', 'KX4520', []],
    ['an error that only a try can find', 'KX4540', []],
  ] as const)('a dry run ends as the run would, as far as looking tells: %s', async (_, code, expected) => {
    const { result, table } = await tableOf(CASES[code], 'en', true);
    expect(causes(result)).toEqual(expected);
    expect(table.includes(code)).toBe(code !== 'KX4540');
    expect(result.counts.failed).toBeUndefined();
  });

  test('is one of those in the catalogue, and none of them is missing', () => {
    const known = Object.keys(catalogue).filter((code) => code.startsWith('KX45') && code !== 'KX4500');
    expect(Object.keys(CASES).toSorted()).toEqual(known.toSorted());
  });
});

test('a declined question ends the run with 130, before anything else', async () => {
  const context = await planContextFor(configFor());
  const asked: (string | Text)[] = [];
  const question = { en: 'Create the cluster demo?', zh: '是否创建集群 demo？' };
  const plan = confirmation.plan(context, { question });
  const answer = (text: string) => async (question: Question) => {
    asked.push(question.text);
    return text;
  };
  const declined = await new Rig([]).run(plan, { ask: answer('no') });
  expect(causes(declined)).toEqual(['KX4013 preflight/confirm/confirm@local']);
  expect(catalogue.KX4013.exit).toBe(130);
  expect((await new Rig([]).run(plan, { ask: answer('yes') })).outcome).toBe('succeeded');
  expect(asked).toEqual([question, question]);
});
