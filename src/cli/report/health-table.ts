import type { Lang, Text } from '../../model/errors/index.ts';
import type { HealthRow, StepReport } from '../../model/report.ts';
import { fillText } from '../../model/text/fill.ts';
import { findingTable } from './finding-table.ts';

const WORDS = {
  part: { en: 'part', zh: '类别' },
  name: { en: 'name', zh: '名称' },
  ready: { en: 'ready', zh: '就绪' },
  details: { en: 'details', zh: '详情' },
  node: { en: 'node', zh: '节点' },
  'control-plane': { en: 'control plane', zh: '控制平面' },
  'add-on': { en: 'add-on', zh: '插件' },
  good: {
    en: 'The cluster {cluster} is well. Nodes that are ready: {ready} of {nodes}',
    zh: '集群 {cluster} 状态正常。就绪节点：{ready} / {nodes}',
  },
  bad: {
    en: 'The cluster {cluster} is not well. Nodes that are ready: {ready} of {nodes}',
    zh: '集群 {cluster} 状态异常。就绪节点：{ready} / {nodes}',
  },
} as const satisfies Record<string, Text>;

/** How the cluster is, as one table: what is there, and what to do about what is not well. */
export function healthTable({ cluster, rows }: Extract<StepReport, { type: 'health' }>, lang: Lang): string {
  const nodes = rows.filter(({ part }) => part === 'node');
  const isGood = ({ finding }: HealthRow) => finding === null;
  const counts = { cluster, ready: nodes.filter(isGood).length, nodes: nodes.length };
  const title = fillText((rows.every(isGood) ? WORDS.good : WORDS.bad)[lang], counts);
  const headers = [WORDS.part, WORDS.name, WORDS.ready, WORDS.details].map((word) => word[lang]);
  const shown = rows.map(({ part, name, state, details, finding }) => ({
    cells: [WORDS[part][lang], name, state],
    result: finding ?? details,
  }));
  return findingTable({ title, headers, rows: shown }, lang);
}
