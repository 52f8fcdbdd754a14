import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/rig/thorough.ts';
import { compressHosts, hostsText } from './hosts.ts';

const numbered = (prefix: string, from: number, to: number, width = 0) =>
  Array.from({ length: to - from + 1 }, (_, i) => prefix + String(from + i).padStart(width, '0'));

/** What a pattern stands for. */
function expand(pattern: string): readonly string[] {
  const match = /^(.*)\[(\d+):(\d+)\](.*)$/.exec(pattern);
  if (!match) return [pattern];
  const [, before = '', from = '', to = '', after = ''] = match;
  const width = from.length === to.length ? from.length : 0;
  return numbered('', Number(from), Number(to), width).map((digits) => before + digits + after);
}

describe('compressHosts', () => {
  it.each<[readonly string[], readonly string[]]>([
    [[], []],
    [['node1'], ['node1']],
    [numbered('node', 1, 5000), ['node[1:5000]']],
    [numbered('node', 1, 12, 2), ['node[01:12]']],
    [numbered('node', 8, 101, 2), ['node[08:99]', 'node[100:101]']],
    [['node9', 'node10', 'node11'], ['node[9:11]']],
    [
      ['node09', 'node9', 'node10'],
      ['node[09:10]', 'node9'],
    ],
    [
      ['node1', 'node3', 'node5'],
      ['node1', 'node3', 'node5'],
    ],
    [
      ['node1', 'node2', 'node4', 'node6', 'node7'],
      ['node[1:2]', 'node4', 'node[6:7]'],
    ],
    [
      ['db', 'node2', 'node1', 'lb-a'],
      ['db', 'node[1:2]', 'lb-a'],
    ],
    [['n1.example.com', 'n2.example.com'], ['n[1:2].example.com']],
    [
      ['rack1-n1', 'rack1-n2', 'rack2-n1', 'rack2-n2'],
      ['rack1-n[1:2]', 'rack2-n[1:2]'],
    ],
    [['a1-x7', 'a2-x7', 'a3-x7'], ['a[1:3]-x7']],
    [
      ['10.0.0.1', '10.0.0.2', '10.0.1.2'],
      ['10.0.0.[1:2]', '10.0.1.2'],
    ],
    [['n1', 'n1', 'n2'], ['n[1:2]']],
    [['n00', 'n01'], ['n[00:01]']],
    [['n0', 'n1'], ['n[0:1]']],
    [
      ['disk-12345678901', 'disk-12345678902'],
      ['disk-12345678901', 'disk-12345678902'],
    ],
  ])('%j', (names, patterns) => {
    expect(compressHosts(names)).toEqual(patterns);
  });

  it('loses no host and invents none', () => {
    const name = fc
      .tuple(
        fc.constantFrom('', 'n', 'rack1-', 'a-b', '节点'),
        fc.nat(30),
        fc.nat(4),
        fc.constantFrom('', '.x', '-7', '-08'),
      )
      .map(([before, number, width, after]) => before + String(number).padStart(width, '0') + after);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
        expect(compressHosts(names).flatMap(expand).sort()).toEqual([...names].sort());
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('hostsText', () => {
  it('is whole where it fits', () => {
    expect(hostsText(numbered('node', 1, 5000), 20)).toBe('node[1:5000]');
    expect(hostsText(['a', 'b'], 4)).toBe('a, b');
  });

  it('says how many more where it does not', () => {
    expect(hostsText(['alpha', 'beta', 'gamma', 'delta'], 18)).toBe('alpha and 3 more');
    expect(hostsText([...numbered('node', 1, 2000), 'xx', 'yyyyy', 'zzzz'], 25)).toBe('node[1:2000] and 3 more');
    expect(hostsText(['a-very-long-host-name', 'another-long-host-name'], 10)).toBe('2 hosts');
  });

  it('never grows wider than told', () => {
    const names = fc.array(fc.stringMatching(/^[a-z]{1,9}\d?$/), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(names, fc.integer({ min: 12, max: 60 }), (list, width) => {
        expect(hostsText(list, width).length).toBeLessThanOrEqual(width);
      }),
    );
  });
});
