import type { Lang, Text } from '../../model/errors/index.ts';
import type { SmokeCheck, SmokeResult } from '../../model/report.ts';
import { fillText } from '../../model/text/fill.ts';
import { findingTable } from './finding-table.ts';

const NAMES: Readonly<Record<SmokeCheck, Text>> = {
  pod: { en: 'a pod on the node', zh: '节点上的 Pod' },
  'pod-to-pod': { en: 'pod to pod', zh: 'Pod 到 Pod' },
  dns: { en: 'name resolved in a pod', zh: 'Pod 内域名解析' },
  service: { en: 'Service by its name', zh: '按名称访问 Service' },
  'node-port': { en: 'port of the node', zh: '节点端口' },
  logs: { en: 'logs of a pod', zh: 'Pod 日志' },
  exec: { en: 'command in a pod', zh: '在 Pod 中执行命令' },
};

const WORDS = {
  check: { en: 'check', zh: '检查' },
  from: { en: 'from', zh: '来源' },
  to: { en: 'to', zh: '目标' },
  result: { en: 'result', zh: '结果' },
  good: { en: 'The cluster works. Checks: {total}', zh: '集群工作正常。检查：{total}' },
  bad: {
    en: 'The cluster does not work as it should. Checks: {total}, failed: {failed}',
    zh: '集群工作不正常。检查：{total}，失败：{failed}',
  },
} as const satisfies Record<string, Text>;

/** All results as one table for people: what was tried, from where, and what is wrong with it. */
export function smokeTable(results: readonly SmokeResult[], lang: Lang): string {
  const failed = results.filter(({ finding }) => finding !== null).length;
  const rows = results.map(({ check, from, to, finding }) => ({
    cells: [NAMES[check][lang], from, to],
    result: finding ?? '',
  }));
  const title = fillText((failed === 0 ? WORDS.good : WORDS.bad)[lang], { total: results.length, failed });
  return findingTable(
    { title, headers: [WORDS.check, WORDS.from, WORDS.to, WORDS.result].map((word) => word[lang]), rows },
    lang,
  );
}
