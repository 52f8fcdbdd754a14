import { describe, expect, test } from 'vitest';
import { BASE, type Case } from '../../test/configs/cases.ts';
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
import { errorRemedy, errorTitle } from '../model/errors/index.ts';
import { loadConfig } from './load.ts';

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
  const secrets = ['KX2801', 'KX2802', 'KX2803', 'KX2804'];
  const overrides = ['KX2230', 'KX2231', 'KX2232'];
  const covered = new Set([...syntaxCases, ...shapeCases, ...ruleCases, ...warningCases].map((one) => one.code));
  const missing = Object.keys(configErrors).filter((code) => !covered.has(code));
  expect(missing.sort()).toEqual([...elsewhere, ...secrets, ...overrides].sort());
});

test('the tables hold at least 200 malformed and hostile documents', () => {
  const texts = new Set([...syntaxCases, ...shapeCases, ...ruleCases].map((one) => one.text));
  expect(texts.size).toBeGreaterThanOrEqual(200);
});
