import type { ErrorEntry } from './entry.ts';

/** KX46xx: what the check of a cluster found. */
export const smokeErrors = {
  KX4600: {
    exit: 1,
    title: {
      en: 'the cluster does not work as it should: {failed} of {total} checks failed',
      zh: '集群工作不正常：{total} 项检查中有 {failed} 项失败',
    },
    remedy: {
      en: 'The table above shows what failed and where to look. Fix it, then check again: kubexm check cluster',
      zh: '上表列出了失败的检查以及排查方法。修复后再次检查：kubexm check cluster',
    },
  },
  KX4601: {
    exit: 1,
    title: { en: 'no pod of the check runs on {to}', zh: '检查用的 Pod 未在 {to} 上运行' },
    remedy: {
      en: 'Look at the node with: kubectl describe node {to}. The kubelet and the container runtime there tell more: journalctl -u kubelet',
      zh: '请查看该节点：kubectl describe node {to}。那里的 kubelet 和容器运行时日志有更多信息：journalctl -u kubelet',
    },
  },
  KX4602: {
    exit: 1,
    title: { en: 'a pod on {from} does not reach the pod on {to}', zh: '{from} 上的 Pod 无法访问 {to} 上的 Pod' },
    remedy: {
      en: 'Look at the pods of the network plugin on both nodes, and at firewalls between them. What has to pass there: {ports}',
      zh: '请检查两个节点上网络插件的 Pod，以及节点之间的防火墙。需要放行：{ports}',
    },
  },
  KX4603: {
    exit: 1,
    title: { en: 'a pod on {from} cannot resolve {to}', zh: '{from} 上的 Pod 无法解析 {to}' },
    remedy: {
      en: 'Look at CoreDNS: kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide. Where only some nodes fail, kube-proxy there is the next to look at.',
      zh: '请检查 CoreDNS：kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide。若只有部分节点失败，再检查那里的 kube-proxy。',
    },
  },
  KX4604: {
    exit: 1,
    title: { en: 'a pod on {from} does not reach the Service {to}', zh: '{from} 上的 Pod 无法访问 Service {to}' },
    remedy: {
      en: 'Look at kube-proxy on that node: kubectl -n kube-system logs -l k8s-app=kube-proxy',
      zh: '请检查该节点上的 kube-proxy：kubectl -n kube-system logs -l k8s-app=kube-proxy',
    },
  },
  KX4605: {
    exit: 1,
    title: { en: 'the node port {to} does not answer {from}', zh: '{from} 访问节点端口 {to} 无响应' },
    remedy: {
      en: 'Check kube-proxy on that node, and firewalls: TCP 30000-32767 must be open to all clients of node ports.',
      zh: '请检查该节点上的 kube-proxy 以及防火墙：使用节点端口的一方需要能访问 TCP 30000-32767。',
    },
  },
  KX4606: {
    exit: 1,
    title: { en: 'the logs of a pod on {to} cannot be read', zh: '无法读取 {to} 上 Pod 的日志' },
    remedy: {
      en: 'The API server asks the kubelet for logs: TCP 10250 of that node must be open to the control planes.',
      zh: 'API server 通过 kubelet 获取日志：该节点的 TCP 10250 需要对控制平面开放。',
    },
  },
  KX4607: {
    exit: 1,
    title: { en: 'no command can be run in a pod on {to}', zh: '无法在 {to} 上的 Pod 中执行命令' },
    remedy: {
      en: 'The API server asks the kubelet, and that the container runtime: TCP 10250 of the node must be open; the journal of containerd there tells more.',
      zh: 'API server 经由 kubelet 和容器运行时执行命令：该节点的 TCP 10250 需要开放；那里的 containerd 日志有更多信息。',
    },
  },
  KX4608: {
    exit: 1,
    title: { en: 'the cluster does not tell its {what}: {reason}', zh: '无法向集群查询 {what}：{reason}' },
    remedy: {
      en: 'Ask it on the first master: kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes. Without an answer there is no cluster yet, or its API is down.',
      zh: '请在第一个主节点上查询：kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes。若无应答，则集群尚未创建，或其 API 不可用。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
