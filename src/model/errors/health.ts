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
    title: {
      en: '{file} is left alone: it is not kubexm’s, or root cannot write there',
      zh: '{file} 保持不变：并非由 kubexm 创建，或 root 无法在该处写入',
    },
    remedy: {
      en: 'For this cluster say: sudo kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes. To have it made, move what is there away or make it writable, then: kubexm run task cluster/kubeconfig',
      zh: '如需使用此集群：sudo kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes。如需由 kubexm 创建，请移走现有内容或使其可写，然后运行：kubexm run task cluster/kubeconfig',
    },
  },
  KX4710: {
    exit: 1,
    title: { en: '{file} is left as it is: {reason}', zh: '{file} 保持不变：{reason}' },
    remedy: {
      en: 'Fix the file or move it away, then run: kubexm get kubeconfig --merge. Or use the kubeconfig of the cluster alone: {kubeconfig}',
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
      en: '{file} already has a {what} called {name} that kubexm did not put there, or that was changed since',
      zh: '{file} 中已有名为 {name} 的 {what}，它并非由 kubexm 写入，或之后被更改过',
    },
    remedy: {
      en: 'Nothing was changed. Rename or delete that entry with kubectl config, then: kubexm get kubeconfig --merge. Or use the kubeconfig of the cluster alone: {kubeconfig}',
      zh: '未做任何更改。请用 kubectl config 重命名或删除该条目，然后运行：kubexm get kubeconfig --merge。也可单独使用该集群的 kubeconfig：{kubeconfig}',
    },
  },
  KX4713: {
    exit: 1,
    title: { en: '{name} cannot be taken out of {file}: {reason}', zh: '无法从 {file} 中移除 {name}：{reason}' },
    remedy: {
      en: 'The cluster has been deleted. To remove the entries, run: kubectl config --kubeconfig {file} delete-context {name}; then the same with delete-cluster and delete-user. If you used kubexm delete cluster, you can also fix the file and run that command again.',
      zh: '集群已被删除。请运行以下命令移除：kubectl config --kubeconfig {file} delete-context {name}；并同样运行 delete-cluster 和 delete-user。若使用的是 kubexm delete cluster，修复该文件后再次运行即可。',
    },
  },
  KX4714: {
    exit: 1,
    title: {
      en: '{file} is left as it is: {lock} says that another program changes it',
      zh: '{file} 保持不变：{lock} 表明另一个程序正在更改它',
    },
    remedy: {
      en: 'Try again: kubexm get kubeconfig --merge. If no kubectl runs, one that was killed has left its lock behind: rm {lock}',
      zh: '请重试：kubexm get kubeconfig --merge。如果没有 kubectl 正在运行，则锁文件由被终止的进程遗留：rm {lock}',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
