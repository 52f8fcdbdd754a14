import type { ErrorEntry } from './entry.ts';

/** KX663x: quickstart. */
export const quickstartErrors = {
  KX6630: {
    exit: 64,
    title: {
      en: 'the quickstart cluster has {have} machines, not {wanted}',
      zh: '快速体验集群有 {have} 台机器，而不是 {wanted} 台',
    },
    remedy: {
      en: 'Leave --nodes out to go on with it, or take it away first: kubexm quickstart --delete',
      zh: '去掉 --nodes 以继续使用它，或先将其删除：kubexm quickstart --delete',
    },
  },
  KX6631: {
    exit: 64,
    title: {
      en: 'the quickstart cluster has Kubernetes {have}, not {wanted}',
      zh: '快速体验集群的 Kubernetes 版本是 {have}，而不是 {wanted}',
    },
    remedy: {
      en: 'Leave --kubernetes out to go on with it, or take it away first: kubexm quickstart --delete',
      zh: '去掉 --kubernetes 以继续使用它，或先将其删除：kubexm quickstart --delete',
    },
  },
  KX6632: {
    exit: 64,
    title: {
      en: '{dir} belongs to a cluster that quickstart did not make',
      zh: '{dir} 属于并非由 quickstart 创建的集群',
    },
    remedy: {
      en: 'Quickstart calls its cluster quickstart too, and would mix up the two. Run it in another directory.',
      zh: 'quickstart 的集群也叫 quickstart，两者会混淆。请在其他目录中运行。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
