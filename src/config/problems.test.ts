import { describe, expect, test } from 'vitest';
import { BASE, type Case, changed, plus } from '../../test/configs/cases.ts';
import { componentRuleCases } from '../../test/configs/component-rule-cases.ts';
import { cpuTime } from '../../test/configs/cpu-time.ts';
import { dnsRuleCases } from '../../test/configs/dns-rule-cases.ts';
import { flagRuleCases } from '../../test/configs/flag-rule-cases.ts';
import { hostRuleCases } from '../../test/configs/host-rule-cases.ts';
import { nameRuleCases } from '../../test/configs/name-rule-cases.ts';
import { reachRuleCases } from '../../test/configs/reach-rule-cases.ts';
import { shapeCases } from '../../test/configs/shape-cases.ts';
import { syntaxCases } from '../../test/configs/syntax-cases.ts';
import { warningCases } from '../../test/configs/warning-cases.ts';

import { configErrors } from '../model/errors/config.ts';
import { errorRemedy, errorTitle, findError } from '../model/errors/index.ts';
import { loadConfig } from './load.ts';
import { countProblems } from './problem.ts';

const ruleCases = [
  ...hostRuleCases,
  ...componentRuleCases,
  ...nameRuleCases,
  ...reachRuleCases,
  ...flagRuleCases,
  ...dnsRuleCases,
];

async function check(one: Case, severity: 'error' | 'warning') {
  const spent = cpuTime();
  const { cluster, problems, source } = await loadConfig({ text: one.text, file: 'cluster.yaml' });
  const milliseconds = spent();
  const said = problems.map((problem) => `${problem.code} ${errorTitle(problem.code, problem.params, 'en')}`);
  const found = problems.filter((problem) => problem.code === one.code);
  expect(found, said.join('\n')).not.toHaveLength(0);
  expect(found[0]?.severity).toBe(severity);
  expect(cluster === undefined).toBe(severity === 'error');
  expect(milliseconds).toBeLessThan(500);
  const lines = (source.text ?? '').split('\n');
  for (const { at, code, params } of problems) {
    expect(at.file).toBe('cluster.yaml');
    expect(at.line).toBeGreaterThan(0);
    expect(at.line).toBeLessThanOrEqual(Math.max(1, lines.length));
    expect(at.column + at.length).toBeLessThanOrEqual((lines[at.line - 1]?.length ?? 0) + 2);
    for (const lang of ['en', 'zh'] as const) {
      expect(errorTitle(code, params, lang) + errorRemedy(code, params, lang)).not.toMatch(/\{\w+\}|undefined/);
    }
  }
  if (one.mark !== undefined) {
    const marked = found.map(({ at }) => lines[at.line - 1]?.slice(at.column - 1, at.column - 1 + at.length) ?? '');
    expect(
      marked.some((text) => text.startsWith(one.mark ?? '')),
      marked.join(' '),
    ).toBe(true);
  }
  for (const words of one.says ?? []) {
    const texts = found.map(({ code, params }) => errorTitle(code, params, 'en') + errorRemedy(code, params, 'en'));
    expect(
      texts.some((text) => text.includes(words)),
      texts.join(' '),
    ).toBe(true);
  }
}

test('the example of the tables loads without a problem', async () => {
  const { cluster, problems } = await loadConfig({ text: BASE, file: 'cluster.yaml' });
  expect(problems).toEqual([]);
  expect(cluster?.spec.hosts).toHaveLength(3);
});

describe.each([
  ['syntax', syntaxCases],
  ['shape', shapeCases],
  ['rules', ruleCases],
] as const)('%s', (_, cases) => {
  test.each(cases.map((one) => [one.code, one.name, one] as const))('%s %s', async (_code, _name, one) => {
    await check(one, 'error');
  });
});

describe('warnings', () => {
  test.each(warningCases.map((one) => [one.code, one.name, one] as const))('%s %s', async (_code, _name, one) => {
    await check(one, 'warning');
  });
});

test('every code of the configuration is provoked by a table or by the tests of files and secrets', () => {
  const elsewhere = ['KX2001', 'KX2002', 'KX2003', 'KX2004', 'KX2005', 'KX2007', 'KX2008', 'KX2016', 'KX2099'];
  const secrets = ['KX2801', 'KX2802', 'KX2803', 'KX2804', 'KX2805'];
  const overrides = ['KX2230', 'KX2231', 'KX2232'];
  const covered = new Set([...syntaxCases, ...shapeCases, ...ruleCases, ...warningCases].map((one) => one.code));
  const missing = Object.keys(configErrors).filter((code) => !covered.has(code));
  expect(missing.sort()).toEqual([...elsewhere, ...secrets, ...overrides].sort());
});

test('the tables hold at least 200 malformed and hostile documents', () => {
  const texts = new Set([...syntaxCases, ...shapeCases, ...ruleCases].map((one) => one.text));
  expect(texts.size).toBeGreaterThanOrEqual(200);
});

describe('counts', () => {
  const hosts = (settings: string): string => {
    const lines = Array.from(
      { length: 5000 },
      (_, i) => `    - {name: node${i + 1}, address: 172.16.${i >> 8}.${i & 255}, ${settings}}\n`,
    );
    return plus('network: {kubePodsCIDR: 10.64.0.0/10}\n')
      .replace(/ {4}- \{name: node1[\s\S]*?(?= {2}roleGroups)/, lines.join(''))
      .replace('[node2, node3]', '["node[2:5000]"]');
  };

  test.each([
    ['values', 'port: ssh', 'KX2206'],
    ['keys', 'prot: 22', 'KX2201'],
    ['keys of nobody', 'zzzzzzzzzzzz: 22', 'KX2202'],
    ['names', 'user: "a;b"', 'KX2337'],
  ])('5,000 wrong %s are counted, and a hundred are shown', async (_what, settings, code) => {
    const { problems } = await loadConfig({ text: hosts(settings), file: 'cluster.yaml' });
    expect(problems.filter((one) => one.code === code)).toHaveLength(100);
    expect(countProblems(problems).errors).toBe(5000);
  });

  test('warnings are counted apart', async () => {
    const text = hosts('labels: {a: b}').replace('    worker: ["node[2:5000]"]\n', '');
    const { problems } = await loadConfig({ text, file: 'cluster.yaml' });
    expect(countProblems(problems)).toEqual({ errors: 0, warnings: 4999 });
  });
});

test.each([
  ['an open quote is the only problem of what follows it', changed(['{name: node1,', '{name: "node1,']), ['7 KX2121']],
  [
    'what is wrong before an open quote is still said',
    changed(['kind:', 'kind: "'], ['metadata:', 'metadata']),
    ['2 KX2121'],
  ],
])('%s', async (_name, text, expected) => {
  const { problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems.map(({ code, at }) => `${at.line} ${code}`)).toEqual(expected);
});

test('no text counts one of something as several', () => {
  const counted = /\{(count|room|addresses|has|pods|days|before|ca)\} [a-z]+s\b/;
  const titles = Object.keys(configErrors).filter((code) => counted.test(findError(code)?.title.en ?? ''));
  // There is more than one by its rule.
  expect(titles.sort()).toEqual(['KX2504']);
});
