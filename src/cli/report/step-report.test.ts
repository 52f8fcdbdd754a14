import { expect, test } from 'vitest';
import type { RunEvent } from '../../model/event.ts';
import type { StepReport } from '../../model/report.ts';
import { jsonView } from '../view/json.ts';
import { plainView } from '../view/plain.ts';
import { eventLines } from './step-report.ts';

const place = { node: 'a/b/c@cp1', host: 'cp1', module: 'a', task: 'a/b', step: 'c', kind: 'k', title: 't' };
const eventOf = (report: StepReport): RunEvent => ({ type: 'node-report', at: 1, run: 'r', ...place, report });
const finding = { code: 'KX4704', params: { file: '/root/.kube/config' } } as const;
const reports: readonly StepReport[] = [
  { type: 'left', text: '/srv/x stays' },
  { type: 'finding', finding },
  { type: 'preflight', hosts: 3, isPart: false, findings: [] },
  { type: 'smoke', results: [{ check: 'dns', from: 'node1', to: 'x', finding: null }] },
  { type: 'health', cluster: 'demo', rows: [] },
];

test('every report has words in both languages', () => {
  const first = (lang: 'en' | 'zh') => reports.map((report) => eventLines(eventOf(report), { lang })[0]);
  expect(first('en')).toEqual([
    'cp1: /srv/x stays',
    expect.stringMatching(/^cp1: KX4704 \/root\/\.kube\/config is left alone: /),
    'Preflight. Hosts: 3, nothing found.',
    'The cluster works. Checks: 1',
    'The cluster demo is well. Nodes that are ready: 0 of 0',
  ]);
  expect(first('zh').slice(1).join()).toMatch(/保持不变.*预检。.*集群工作正常.*集群 demo 状态正常/);
});

test('people get a table, programs the same findings as data', () => {
  const event = eventOf({ type: 'smoke', results: [{ check: 'dns', from: 'node1', to: 'x', finding }] });
  const plain: string[] = [];
  const view = plainView({ write: (text) => void plain.push(text), pipeline: 'x', lang: 'en', verbose: false });
  view.sink(event);
  view.close();
  expect(plain.join('')).toMatch(/failed: 1\n(?:.*\n)*name resolved in a pod +node1 +x +KX4704 /);
  const json: string[] = [];
  const notice = () => undefined;
  jsonView((text) => void json.push(text), notice).sink(event);
  expect(JSON.parse(json.join(''))).toEqual(event);
});
