import type { ErrorEntry } from './entry.ts';

/** KX47xx: how a cluster is after it was created, and the kubeconfigs of its users. */
export const healthErrors = {
  KX4701: {
    exit: 1,
    title: { en: 'the node is not ready', zh: '节点未就绪' },
    remedy: {
      en: 'Ask the cluster: kubectl describe node {node}. The kubelet of the machine tells more: journalctl -u kubelet',
      zh: '请向集群查询：kubectl describe node {node}。该机器的 kubelet 日志有更多信息：journalctl -u kubelet',
    },
  },
  KX4702: {
    exit: 1,
    title: { en: 'the machine has not joined', zh: '该机器尚未加入集群' },
    remedy: {
      en: 'When it can be reached again, run: kubexm create cluster --resume. What went wrong is in: kubexm describe run last',
      zh: '该机器恢复可达后请运行：kubexm create cluster --resume。出错原因见：kubexm describe run last',
    },
  },
  KX4703: {
    exit: 1,
    title: { en: 'not all of it runs', zh: '未全部运行' },
    remedy: {
      en: 'See which pod is not ready: kubectl -n {namespace} get pods -o wide. Then: kubectl -n {namespace} describe pod <name>, and logs.',
      zh: '请查看未就绪的 Pod：kubectl -n {namespace} get pods -o wide。然后：kubectl -n {namespace} describe pod <名称>，以及 logs。',
    },
  },
  KX4704: {
    exit: 1,
    title: { en: '{file} is not kubexm’s: it is left alone', zh: '{file} 并非由 kubexm 创建：保持不变' },
    remedy: {
      en: 'For this cluster say: export KUBECONFIG=/etc/kubernetes/admin.conf. To have it made, move the file away and run kubexm create cluster again.',
      zh: '如需使用此集群：export KUBECONFIG=/etc/kubernetes/admin.conf。如需由 kubexm 创建，请移走该文件后再次运行 kubexm create cluster。',
    },
  },
  KX4710: {
    exit: 1,
    title: { en: '{file} is left as it is: {reason}', zh: '{file} 保持不变：{reason}' },
    remedy: {
      en: 'Mend the file or move it away, then: kubexm get kubeconfig --merge. Or use the kubeconfig of the cluster alone: {kubeconfig}',
      zh: '请修复或移走该文件，然后运行：kubexm get kubeconfig --merge。也可单独使用该集群的 kubeconfig：{kubeconfig}',
    },
  },
  KX4711: {
    exit: 1,
    title: { en: 'there is no kubeconfig of {cluster} here', zh: '此处没有 {cluster} 的 kubeconfig' },
    remedy: {
      en: 'It is fetched when the cluster is created. To fetch it again: kubexm run task cluster/kubeconfig',
      zh: '创建集群时会获取它。如需重新获取：kubexm run task cluster/kubeconfig',
    },
  },
  KX4712: {
    exit: 1,
    title: {
      en: '{file} already has a {what} called {name}, which kubexm did not put there',
      zh: '{file} 中已有名为 {name} 的 {what}，且并非由 kubexm 写入',
    },
    remedy: {
      en: 'Nothing was changed. Rename or delete that entry with kubectl config, then: kubexm get kubeconfig --merge. Or use the kubeconfig of the cluster alone: {kubeconfig}',
      zh: '未做任何更改。请用 kubectl config 重命名或删除该条目，然后运行：kubexm get kubeconfig --merge。也可单独使用该集群的 kubeconfig：{kubeconfig}',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
