import type { Lang, Text } from '../../model/errors/index.ts';
import { fillText } from '../../model/text/fill.ts';
import { compressHosts, hostsText } from '../../plan/render/hosts.ts';
import { findingTable } from '../finding.ts';
import { type Finding, type FindingGroup, groupFindings, type Severity } from './finding.ts';

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
} as const satisfies Record<string, Text>;

/** All findings as one table for people: what it is, where, and what to do about it. */
export function findingsTable(findings: readonly Finding[], hosts: number, lang: Lang): string {
  const groups = groupFindings(findings);
  const count = (severity: Severity) => groups.filter((group) => group.severity === severity).length;
  const counts = { hosts, error: count('error'), warning: count('warning'), info: count('info') };
  const rows = groups.map((group) => ({
    cells: [WORDS[group.severity][lang], hostsText(group.hosts, HOSTS_WIDTH)],
    result: { code: group.code, params: group.params, note: notesText(group) },
  }));
  const title = fillText((rows.length === 0 ? WORDS.nothing : WORDS.title)[lang], counts);
  return findingTable(
    { title, headers: [WORDS.severity, WORDS.hosts, WORDS.finding].map((word) => word[lang]), rows },
    lang,
  );
}

/** What differs from host to host, a few of it. A note that all hosts share needs no names. */
function notesText({ notes, hosts }: FindingGroup): string {
  const all = [...notes];
  const shown = all
    .slice(0, MOST_NOTES)
    .map(([note, on]) => (on.length === hosts.length ? note : `${compressHosts(on).join(', ')}: ${note}`));
  return [...shown, ...(all.length > MOST_NOTES ? ['…'] : [])].join('; ');
}
