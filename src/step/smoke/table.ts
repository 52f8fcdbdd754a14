import { type ErrorCode, errorRemedy, errorTitle, type Lang, type Text } from '../../model/errors/index.ts';
import { fillText } from '../../model/text/fill.ts';
import { wrapText } from '../../model/text/width.ts';
import { tableText } from '../generic/report-table.ts';
import { CHECKS, type Check, type CheckResult } from './checks.ts';

const TEXT_WIDTH = 84;
/** Beyond so many, what succeeded is counted, not listed. */
const MOST_ROWS = 40;

const CODES = {
  pod: 'KX4601',
  'pod-to-pod': 'KX4602',
  dns: 'KX4603',
  service: 'KX4604',
  'node-port': 'KX4605',
  logs: 'KX4606',
  exec: 'KX4607',
} as const satisfies Record<Check, ErrorCode>;

const NAMES: Readonly<Record<Check, Text>> = {
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
  ok: { en: 'ok', zh: '正常' },
  okMany: { en: 'ok ({n})', zh: '正常（{n}）' },
  good: { en: 'The cluster works. Checks: {total}', zh: '集群工作正常。检查：{total}' },
  bad: {
    en: 'The cluster does not work as it should. Checks: {total}, failed: {failed}',
    zh: '集群工作不正常。检查：{total}，失败：{failed}',
  },
} as const satisfies Record<string, Text>;

/** All results as one table for people: what was tried, from where, and what is wrong with it. */
export function resultsTable(results: readonly CheckResult[], lang: Lang): string {
  const failed = results.filter(({ problem }) => problem !== null).length;
  const rows = CHECKS.flatMap((check) => {
    const some = results.filter((one) => one.check === check);
    return results.length > MOST_ROWS ? shortRows(check, some, lang) : some.map((one) => row(one, lang));
  });
  return tableText({
    title: fillText((failed === 0 ? WORDS.good : WORDS.bad)[lang], { total: results.length, failed }),
    headers: [WORDS.check[lang], WORDS.from[lang], WORDS.to[lang], WORDS.result[lang]],
    rows,
  });
}

/** What succeeded as one row, and every failure. */
function shortRows(check: Check, some: readonly CheckResult[], lang: Lang) {
  const bad = some.filter(({ problem }) => problem !== null);
  const n = some.length - bad.length;
  const good = n === 0 ? [] : [[NAMES[check][lang], '', '', fillText(WORDS.okMany[lang], { n })]];
  return [...good, ...bad.map((one) => row(one, lang))];
}

function row({ check, from, to, problem }: CheckResult, lang: Lang): readonly string[] {
  return [
    NAMES[check][lang],
    from,
    to,
    problem === null ? WORDS.ok[lang] : problemText(CODES[check], { from, to }, problem, lang),
  ];
}

/** `KX4603 a pod on node1 cannot resolve kubernetes.default (no such host)`, and below it what to do. */
function problemText(code: ErrorCode, params: Readonly<Record<string, string>>, why: string, lang: Lang): string {
  const title = `${code} ${errorTitle(code, params, lang)}${why === '' ? '' : ` (${why})`}`;
  return [...wrapText(title, TEXT_WIDTH), ...wrapText(`→ ${errorRemedy(code, params, lang)}`, TEXT_WIDTH)].join('\n');
}
