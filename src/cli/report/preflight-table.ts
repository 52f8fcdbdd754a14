import type { Lang, Text } from '../../model/errors/index.ts';
import type { FindingGroup, Severity, StepReport } from '../../model/report.ts';
import { fillText } from '../../model/text/fill.ts';
import { compressHosts, hostsText } from '../../model/text/hosts.ts';
import { findingTable } from './finding-table.ts';

const HOSTS_WIDTH = 24;
const MOST_NOTES = 4;

const WORDS = {
  error: { en: 'error', zh: '错误' },
  warning: { en: 'warning', zh: '警告' },
  info: { en: 'info', zh: '提示' },
  severity: { en: 'severity', zh: '级别' },
  hosts: { en: 'hosts', zh: '主机' },
  finding: { en: 'finding, and what to do', zh: '发现与处理' },
  nothing: { en: 'Preflight. Hosts: {hosts}, nothing found.', zh: '预检。主机：{hosts}，一切正常。' },
  title: {
    en: 'Preflight. Hosts: {hosts}, errors: {error}, warnings: {warning}, notes: {info}',
    zh: '预检。主机：{hosts}，错误：{error}，警告：{warning}，提示：{info}',
  },
  isPart: {
    en: 'A dry run listens on no port and measures no disk: whether hosts reach each other is tried by the run itself.',
    zh: '试运行不监听端口，也不测量磁盘：主机之间是否连通由正式运行检查。',
  },
} as const satisfies Record<string, Text>;

/** All findings as one table for people: what it is, where, and what to do about it. */
export function preflightTable(
  { findings: groups, hosts, isPart }: Extract<StepReport, { type: 'preflight' }>,
  lang: Lang,
): string {
  const count = (severity: Severity) => groups.filter((group) => group.severity === severity).length;
  const counts = { hosts, error: count('error'), warning: count('warning'), info: count('info') };
  const rows = groups.map((group) => ({
    cells: [WORDS[group.severity][lang], hostsText(group.hosts, HOSTS_WIDTH)],
    result: { code: group.code, params: group.params, note: notesText(group) },
  }));
  const title = fillText((rows.length === 0 ? WORDS.nothing : WORDS.title)[lang], counts);
  const headers = [WORDS.severity, WORDS.hosts, WORDS.finding].map((word) => word[lang]);
  const table = findingTable({ title, headers, rows }, lang);
  return isPart ? `${table}\n${WORDS.isPart[lang]}` : table;
}

/** What differs from host to host, a few of it. A note that all hosts share needs no names. */
function notesText({ notes, hosts }: FindingGroup): string {
  const shown = notes
    .slice(0, MOST_NOTES)
    .map(({ note, hosts: on }) => (on.length === hosts.length ? note : `${compressHosts(on).join(', ')}: ${note}`));
  return [...shown, ...(notes.length > MOST_NOTES ? ['…'] : [])].join('; ');
}
