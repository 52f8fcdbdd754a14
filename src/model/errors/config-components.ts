import type { ErrorEntry } from './entry.ts';

/** KX26xx and KX27xx: the network, Kubernetes, etcd, the registry and what runs on top. */
export const configComponentErrors = {
  KX2601: {
    exit: 3,
    title: {
      en: 'pods ({pods}) and services ({services}) overlap',
      zh: 'Pod 网段（{pods}）与 Service 网段（{services}）重叠',
    },
    remedy: { en: 'Choose networks that share no address.', zh: '请选择互不重叠的网段。' },
  },
  KX2602: {
    exit: 3,
    title: {
      en: '{field} {cidr} contains {address}, the address of {owner}',
      zh: '{field} {cidr} 包含 {owner} 的地址 {address}',
    },
    remedy: { en: 'Choose a network that no machine uses.', zh: '请选择未被任何机器使用的网段。' },
  },
  KX2603: {
    exit: 3,
    title: { en: 'pods have {pods}, but services have {services}', zh: 'Pod 为 {pods}，而 Service 为 {services}' },
    remedy: {
      en: 'Give both the same families in the same order: "IPv4,IPv6".',
      zh: '两者的协议族和顺序必须一致："IPv4,IPv6"。',
    },
  },
  KX2604: {
    exit: 3,
    title: { en: 'pods have {pods}, but the hosts have {hosts} addresses', zh: 'Pod 为 {pods}，而主机地址为 {hosts}' },
    remedy: {
      en: 'A cluster has the families of its hosts, in the same order: correct internalAddress, or remove that family from the networks.',
      zh: '集群的协议族及顺序必须与主机一致：请修正 internalAddress，或从网段中删除该协议族。',
    },
  },
  KX2606: {
    exit: 3,
    title: {
      en: '{field} {mask} does not fit into the pod network {cidr}',
      zh: '{field} {mask} 与 Pod 网段 {cidr} 不匹配',
    },
    remedy: {
      en: 'Each node gets a part of the pod network: choose a mask from {min} to {max}.',
      zh: '每个节点分得 Pod 网段的一部分：请选择 {min} 到 {max} 之间的掩码。',
    },
  },
  KX2607: {
    exit: 3,
    title: {
      en: 'the pod network {cidr} has room for {room} nodes, but there are {count}',
      zh: 'Pod 网段 {cidr} 只能容纳 {room} 个节点，但有 {count} 个',
    },
    remedy: {
      en: 'Use a larger network (a smaller prefix) or a larger {field}.',
      zh: '请使用更大的网段（更小的前缀），或更大的 {field}。',
    },
  },
  KX2608: {
    exit: 3,
    title: {
      en: 'maxPods is {pods}, but a node has only {addresses} pod addresses',
      zh: 'maxPods 为 {pods}，但每个节点只有 {addresses} 个 Pod 地址',
    },
    remedy: {
      en: 'Lower maxPods, or lower {field} so that each node gets more addresses.',
      zh: '请减小 maxPods，或减小 {field} 使每个节点获得更多地址。',
    },
  },
  KX2609: {
    exit: 3,
    title: {
      en: 'calico cannot use IPIP ({ipip}) and VXLAN ({vxlan}) at once',
      zh: 'calico 不能同时使用 IPIP（{ipip}）和 VXLAN（{vxlan}）',
    },
    remedy: { en: 'Set one of ipipMode and vxlanMode to Never.', zh: '请将 ipipMode 和 vxlanMode 之一设为 Never。' },
  },
  KX2610: {
    exit: 3,
    title: { en: '{section} is set, but {field} is {value}', zh: '设置了 {section}，但 {field} 为 {value}' },
    remedy: {
      en: 'Remove the section, or choose what it configures. kubexm never ignores what you ask for.',
      zh: '请删除该段，或选择它所配置的类型。kubexm 不会忽略您的要求。',
    },
  },
  KX2611: {
    exit: 3,
    title: {
      en: 'the service network {cidr} is larger than Kubernetes allows',
      zh: 'Service 网段 {cidr} 超过 Kubernetes 允许的大小',
    },
    remedy: { en: 'Choose a prefix of at least {min}.', zh: '前缀至少为 {min}。' },
  },
  KX2612: {
    exit: 3,
    title: {
      en: 'ippool.blockSize {size} is larger than the pod network {cidr}',
      zh: 'ippool.blockSize {size} 大于 Pod 网段 {cidr}',
    },
    remedy: {
      en: 'Choose a block size greater than the prefix of the pod network; 26 is usual.',
      zh: '块大小的数值应大于 Pod 网段的前缀，通常为 26。',
    },
  },
  KX2613: {
    exit: 3,
    title: {
      en: 'flannel.directRouting is on, which the backend {backend} does not have',
      zh: '启用了 flannel.directRouting，但后端 {backend} 没有该功能',
    },
    remedy: {
      en: 'Remove it, or set backend: vxlan. host-gw needs no such setting: it never uses a tunnel.',
      zh: '请删除它，或设置 backend: vxlan。host-gw 从不使用隧道，无需此设置。',
    },
  },
  KX2701: {
    exit: 3,
    title: { en: 'etcd.type kubexm needs hosts with the role etcd', zh: 'etcd.type 为 kubexm 时需要 etcd 角色的主机' },
    remedy: {
      en: 'Add roleGroups.etcd with 1, 3 or 5 hosts, or set etcd.type: kubeadm to run etcd on the masters.',
      zh: '请添加 roleGroups.etcd（1、3 或 5 台主机），或设置 etcd.type: kubeadm 使 etcd 运行在 master 上。',
    },
  },
  KX2702: {
    exit: 3,
    title: {
      en: 'etcd.type external uses an etcd that exists, but hosts have the role etcd',
      zh: 'etcd.type 为 external 表示使用已有的 etcd，但有主机担任 etcd 角色',
    },
    remedy: {
      en: 'Remove roleGroups.etcd, or set etcd.type: kubexm.',
      zh: '请删除 roleGroups.etcd，或设置 etcd.type: kubexm。',
    },
  },
  KX2703: {
    exit: 3,
    title: {
      en: 'etcd.type external needs etcd.external.endpoints',
      zh: 'etcd.type 为 external 时需要 etcd.external.endpoints',
    },
    remedy: {
      en: 'Add the addresses, such as https://192.168.6.6:2379.',
      zh: '请添加地址，例如 https://192.168.6.6:2379。',
    },
  },
  KX2704: {
    exit: 3,
    title: {
      en: 'of etcd.external.caFile, certFile and keyFile some are missing: {missing}',
      zh: 'etcd.external 的 caFile、certFile 和 keyFile 缺少：{missing}',
    },
    remedy: { en: 'Give all three for TLS, or none.', zh: '使用 TLS 时三者都要填写，否则都不填。' },
  },
  KX2705: {
    exit: 3,
    title: { en: 'etcd.external is set, but etcd.type is {type}', zh: '设置了 etcd.external，但 etcd.type 为 {type}' },
    remedy: {
      en: 'Set etcd.type: external, or remove etcd.external.',
      zh: '请设置 etcd.type: external，或删除 etcd.external。',
    },
  },
  KX2706: {
    exit: 3,
    title: {
      en: 'etcd.type kubeadm runs etcd on the masters, but the role etcd names other hosts',
      zh: 'etcd.type 为 kubeadm 时 etcd 运行在 master 上，但 etcd 角色包含其他主机',
    },
    remedy: {
      en: 'Remove roleGroups.etcd, or set etcd.type: kubexm.',
      zh: '请删除 roleGroups.etcd，或设置 etcd.type: kubexm。',
    },
  },
  KX2707: {
    exit: 3,
    title: {
      en: 'kubernetes.type kubexm does not use kubeadm, so kubeadm cannot run etcd',
      zh: 'kubernetes.type 为 kubexm 时不使用 kubeadm，因此不能由 kubeadm 运行 etcd',
    },
    remedy: {
      en: 'Set etcd.type: kubexm, or kubernetes.type: kubeadm.',
      zh: '请设置 etcd.type: kubexm，或 kubernetes.type: kubeadm。',
    },
  },
  KX2708: {
    exit: 3,
    title: {
      en: 'etcd.electionTimeout ({election} ms) is less than five heartbeats ({heartbeat} ms)',
      zh: 'etcd.electionTimeout（{election} 毫秒）小于五个心跳（{heartbeat} 毫秒）',
    },
    remedy: {
      en: 'Set it to at least {min}, or etcd elects leaders without end.',
      zh: '至少设为 {min}，否则 etcd 会不断重新选举。',
    },
  },
  KX2709: {
    exit: 3,
    title: {
      en: 'a registry runs on exactly one host, but {count} have the role registry',
      zh: '镜像仓库只能部署在一台主机上，但有 {count} 台主机担任 registry 角色',
    },
    remedy: {
      en: 'Leave one host in roleGroups.registry, or set registry.type: none.',
      zh: 'roleGroups.registry 中请只保留一台主机，或设置 registry.type: none。',
    },
  },
  KX2710: {
    exit: 3,
    title: { en: 'the registry has no name', zh: '镜像仓库没有域名' },
    remedy: {
      en: 'Set registry.privateRegistry, such as dockerhub.kubexm.local.',
      zh: '请设置 registry.privateRegistry，例如 dockerhub.kubexm.local。',
    },
  },
  KX2711: {
    exit: 3,
    title: {
      en: 'registry.type is {type}, so nothing is installed on the host with the role registry',
      zh: 'registry.type 为 {type}，registry 角色的主机上不会安装任何内容',
    },
    remedy: {
      en: 'Remove roleGroups.registry, or set registry.type to registry or harbor.',
      zh: '请删除 roleGroups.registry，或将 registry.type 设为 registry 或 harbor。',
    },
  },
  KX2714: {
    exit: 3,
    title: {
      en: 'two versions for one runtime: {first} and {second}',
      zh: '同一运行时有两个版本：{first} 和 {second}',
    },
    remedy: {
      en: 'Keep containerRuntime.version and remove the other.',
      zh: '请保留 containerRuntime.version，删除另一个。',
    },
  },
  KX2715: {
    exit: 3,
    title: { en: 'the addon {name} of type {type} needs {need}', zh: '类型为 {type} 的插件 {name} 需要 {need}' },
    remedy: {
      en: 'yaml: path is a file or URL. helm: chart, and repo unless chart is a file or oci:// address.',
      zh: 'yaml：path 为文件或 URL。helm：需要 chart；除非 chart 是文件或 oci:// 地址，否则还需要 repo。',
    },
  },
  KX2716: {
    exit: 3,
    title: { en: 'the addon {name} is listed twice', zh: '插件 {name} 重复' },
    remedy: { en: 'Keep one of the two.', zh: '请只保留一个。' },
  },
  KX2717: {
    exit: 3,
    title: {
      en: 'the feature gate {gate} cannot be switched off: it is always on since Kubernetes {since}',
      zh: '特性门控 {gate} 不能关闭：自 Kubernetes {since} 起始终开启',
    },
    remedy: { en: 'Remove it.', zh: '请删除它。' },
  },
  KX2718: {
    exit: 3,
    title: {
      en: 'the time server "{value}" is neither a host of spec.hosts nor a domain name',
      zh: '时间服务器 "{value}" 既不是 spec.hosts 中的主机，也不是域名',
    },
    remedy: {
      en: 'Write a full domain name, an IP address or the name of a host. Hosts nearby: {nearby}',
      zh: '请写完整域名、IP 地址或主机名。相近的主机：{nearby}',
    },
  },
  KX2720: {
    exit: 3,
    title: {
      en: 'the registry login for {registry} has only one of username and password',
      zh: '镜像仓库 {registry} 的登录信息缺少 username 或 password',
    },
    remedy: { en: 'Give both, or none.', zh: '两者都填，或都不填。' },
  },
  KX2721: {
    exit: 3,
    title: { en: 'an artifact source of type {type} needs {need}', zh: '类型为 {type} 的制品来源需要 {need}' },
    remedy: {
      en: 'bundle and directory need path; mirror needs url.',
      zh: 'bundle 和 directory 需要 path；mirror 需要 url。',
    },
  },
  KX2722: {
    exit: 3,
    title: {
      en: '{domain} is given two addresses: {first} and {second}',
      zh: '{domain} 有两个地址：{first} 和 {second}',
    },
    remedy: { en: 'Keep one address per family for each name.', zh: '每个域名在每个协议族中只保留一个地址。' },
  },
  KX2723: {
    exit: 3,
    title: {
      en: '{value} belongs to the type {belongs}, but the type is {type}',
      zh: '{value} 属于类型 {belongs}，但类型为 {type}',
    },
    remedy: {
      en: 'Remove it, or change the type. kubexm never ignores what you ask for.',
      zh: '请删除它，或更改类型。kubexm 不会忽略您的要求。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
