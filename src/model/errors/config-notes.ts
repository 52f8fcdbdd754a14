import type { ErrorEntry } from './entry.ts';

/** KX28xx: secrets that cannot be had; KX29xx: warnings, with which a configuration still loads. */
export const configNoteErrors = {
  KX2801: {
    exit: 3,
    title: { en: '{field}: the environment variable {name} is not set', zh: '{field}：未设置环境变量 {name}' },
    remedy: { en: 'Set it before running kubexm: export {name}=…', zh: '请在运行 kubexm 前设置：export {name}=…' },
  },
  KX2802: {
    exit: 3,
    title: {
      en: '{field}: the secret file {name} cannot be read: {reason}',
      zh: '{field}：无法读取密文文件 {name}：{reason}',
    },
    remedy: { en: 'Check the path and its rights (0600, yours).', zh: '请检查路径和权限（0600，属于您）。' },
  },
  KX2803: {
    exit: 3,
    title: { en: '{field}: the secret from {name} is empty', zh: '{field}：来自 {name} 的密文为空' },
    remedy: { en: 'Put the secret there.', zh: '请填写密文。' },
  },
  KX2804: {
    exit: 3,
    title: { en: '{field} is to be asked for, but nobody can answer', zh: '{field} 需要询问，但无人可以回答' },
    remedy: {
      en: 'Run on a terminal without --no-input, or use env:NAME or file:/path instead of prompt.',
      zh: '请在终端中运行且不使用 --no-input，或用 env:NAME 或 file:/path 代替 prompt。',
    },
  },
  KX2901: {
    exit: 3,
    title: {
      en: 'secrets are written into the file: {count}, the first one here',
      zh: '文件中直接写有 {count} 个密文，第一个在此处',
    },
    remedy: {
      en: 'They work and are never shown, but whoever reads the file has them. Better: env:NAME, file:/path or prompt.',
      zh: '可以使用且不会显示，但能读文件的人都能看到。建议使用 env:NAME、file:/path 或 prompt。',
    },
  },
  KX2902: {
    exit: 3,
    title: {
      en: '{count} etcd members: an even number survives no more failures than {less}',
      zh: 'etcd 成员为 {count} 个：偶数个成员的容错能力与 {less} 个相同',
    },
    remedy: { en: 'Use 1, 3 or 5.', zh: '请使用 1、3 或 5 个。' },
  },
  KX2903: {
    exit: 3,
    title: { en: 'the host {host} has no role', zh: '主机 {host} 没有角色' },
    remedy: {
      en: 'It is prepared like the others, but nothing runs on it. Add it to a group of roleGroups.',
      zh: '它会和其他主机一样准备，但不运行任何组件。请将其加入 roleGroups 的某个组。',
    },
  },
  KX2905: {
    exit: 3,
    title: {
      en: 'the feature gate {gate} is always on since Kubernetes {since} and no longer exists',
      zh: '特性门控 {gate} 自 Kubernetes {since} 起始终开启，已不存在',
    },
    remedy: {
      en: 'Remove it. kubexm leaves it out, because the kubelet would refuse to start.',
      zh: '请删除它。kubexm 会将其略去，否则 kubelet 无法启动。',
    },
  },
  KX2906: {
    exit: 3,
    title: { en: '{field}: {value} is an address inside a network', zh: '{field}：{value} 是网段内的地址' },
    remedy: { en: 'It is taken as {network}. Write it so.', zh: '将按 {network} 处理，请改为此写法。' },
  },
  KX2907: {
    exit: 3,
    title: { en: '{field} looks like a placeholder', zh: '{field} 看起来是占位符' },
    remedy: {
      en: 'Put the real secret there, better as env:NAME or file:/path.',
      zh: '请填写真实密文，建议使用 env:NAME 或 file:/path。',
    },
  },
  KX2908: {
    exit: 3,
    title: { en: 'the role {role} names {host} twice', zh: '角色 {role} 中 {host} 重复' },
    remedy: {
      en: 'Remove one of the two; check that no other host was meant.',
      zh: '请删除一个，并确认是否写错了主机。',
    },
  },
  KX2909: {
    exit: 3,
    title: {
      en: 'kube-proxy mode ipvs is deprecated since Kubernetes 1.35',
      zh: '自 Kubernetes 1.35 起，kube-proxy 的 ipvs 模式已弃用',
    },
    remedy: { en: 'Use nftables, iptables or auto.', zh: '请使用 nftables、iptables 或 auto。' },
  },
  KX2910: {
    exit: 3,
    title: {
      en: '{host} has the loopback address {address} as internal address',
      zh: '{host} 的内部地址是回环地址 {address}',
    },
    remedy: {
      en: 'Other machines cannot reach it. Fine for a trial on one machine, not for a cluster.',
      zh: '其他机器无法访问它。仅适合单机试验，不适合集群。',
    },
  },
  KX2911: {
    exit: 3,
    title: { en: 'one load balancer is a single point of failure', zh: '只有一台负载均衡，存在单点故障' },
    remedy: { en: 'Give roleGroups.loadbalancer two hosts.', zh: '请为 roleGroups.loadbalancer 配置两台主机。' },
  },
} as const satisfies Record<string, ErrorEntry>;
