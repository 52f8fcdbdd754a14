import { expect, test } from 'vitest';
import type { ExecResult, LabMachine } from '../types.ts';
import { collectState, type MachineExec } from './collect.ts';

const machine = { name: 't-1', lab: 't' } as LabMachine;
const result = (code: number, stdout = '', stderr = ''): ExecResult => ({ code, stdout, stderr });

/** A machine that answers the questions it is asked with given texts, and nothing else well. */
function answering(
  answers: Readonly<Record<string, string | number>>,
  tool: (command: string) => ExecResult = () => result(0),
): MachineExec {
  return async (_, command, options) => {
    const script = String(command);
    if (options?.networkOnly) return tool(script);
    const marks = [...script.matchAll(/^echo '(\S+) (\w+)'$/gm)];
    const lines = marks.map(([, mark = '', name = '']) => {
      const answer = answers[name] ?? '';
      return `${mark} ${name}\n${typeof answer === 'string' ? answer : ''}${mark} = ${typeof answer === 'string' ? 0 : answer}\n`;
    });
    return result(0, lines.join(''));
  };
}

test('every section is either told or said to be unseen', async () => {
  const { sections, unseen } = await collectState(machine, answering({ hostname: 't-1\n' }));
  expect(unseen).toEqual([]);
  expect(sections.size).toBe(19);
  expect(sections.get('hostname')).toEqual(new Map([['hostname', { value: 't-1' }]]));
});

test('a program that a machine lacks, or that failed, makes its section unseen', async () => {
  const { sections, unseen } = await collectState(machine, answering({ sockets: 127, packages: 2, marks: 1 }));
  expect(unseen).toEqual([
    { section: 'package', reason: 'packages ended with 2' },
    { section: 'port', reason: 'the machine lacks the program for it (sockets)' },
  ]);
  expect(sections.has('port')).toBe(false);
});

test.each<[string, ExecResult, string | undefined]>([
  ['is missing', result(127), 'nft is not installed on this machine (package nftables)'],
  ['has a kernel without it', result(1, '', 'netlink: Error: Protocol not supported'), undefined],
  ['failed', result(1, '', 'first\nOperation not permitted\n'), 'Operation not permitted'],
])('a tool of the box that %s', async (_, ended, reason) => {
  const { unseen } = await collectState(
    machine,
    answering({}, (command) => (command.includes('nft ') ? ended : result(0))),
  );
  expect(unseen).toEqual(reason === undefined ? [] : [{ section: 'nftables', reason }]);
});

test('iptables of the old kind are asked for only where there are some', async () => {
  const asked: string[] = [];
  const tool = (names: string) => (command: string) => {
    asked.push(command);
    return command.includes('ip_tables_names') ? result(0, names) : result(0);
  };
  await collectState(machine, answering({}, tool('')));
  expect(asked.filter((one) => one.includes('legacy-save'))).toEqual([]);
  await collectState(machine, answering({}, tool('nat\n')));
  expect(asked.filter((one) => one.includes('legacy-save'))).toHaveLength(2);
});

test('a machine that says nothing at all is an error', async () => {
  await expect(collectState(machine, async () => result(137, '', 'Killed'))).rejects.toMatchObject({ code: 'KX6611' });
});
