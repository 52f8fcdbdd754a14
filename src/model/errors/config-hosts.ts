import type { ErrorEntry } from './entry.ts';

/** KX24xx and KX25xx: hosts, roles and the way to the control plane. */
export const configHostErrors = {
  KX2401: {
    exit: 3,
    title: { en: 'two hosts are named {host}', zh: '有两台主机都叫 {host}' },
    remedy: { en: 'Give each host a name of its own.', zh: '请为每台主机使用不同的名称。' },
  },
  KX2402: {
    exit: 3,
    title: {
      en: '{first} and {second} are reached under the same address and port, {address}',
      zh: '{first} 和 {second} 的地址和端口相同：{address}',
    },
    remedy: { en: 'Correct one of the two.', zh: '请修正其中一个。' },
  },
  KX2403: {
    exit: 3,
    title: {
      en: '{second} has the internal address of {first}: {address}',
      zh: '{second} 与 {first} 的内部地址相同：{address}',
    },
    remedy: {
      en: 'Every host needs internal addresses of its own, IPv4 and IPv6 alike. Correct internalAddress.',
      zh: '每台主机的内部 IPv4 和 IPv6 地址都必须唯一。请修正 internalAddress。',
    },
  },
  KX2404: {
    exit: 3,
    title: { en: '{host} needs an internalAddress', zh: '{host} 需要 internalAddress' },
    remedy: {
      en: 'Its address ({address}) is a name. Add the IP address that the other hosts use: internalAddress: 172.16.0.2',
      zh: '其地址（{address}）是域名。请添加其他主机访问它的 IP：internalAddress: 172.16.0.2',
    },
  },
  KX2405: {
    exit: 3,
    title: { en: 'the role {role} names {host}, which is not in hosts', zh: '角色 {role} 引用的 {host} 不在 hosts 中' },
    remedy: {
      en: 'Add {host} to spec.hosts, or correct the name. Hosts nearby: {nearby}',
      zh: '请在 spec.hosts 中添加 {host}，或修正名称。相近的主机：{nearby}',
    },
  },
  KX2406: {
    exit: 3,
    title: { en: 'spec.hosts is empty', zh: 'spec.hosts 为空' },
    remedy: { en: 'Name at least one machine.', zh: '请至少填写一台机器。' },
  },
  KX2407: {
    exit: 3,
    title: { en: 'no host has the role master', zh: '没有任何主机担任 master 角色' },
    remedy: { en: 'Add roleGroups.master with at least one host.', zh: '请添加 roleGroups.master，至少包含一台主机。' },
  },
  KX2408: {
    exit: 3,
    title: { en: 'the bastion chain of {host} runs in a circle: {chain}', zh: '{host} 的跳板链成环：{chain}' },
    remedy: { en: 'A bastion must be reached before the host it leads to.', zh: '跳板机必须能先于目标主机到达。' },
  },
  KX2409: {
    exit: 3,
    title: { en: 'the bastion {host} is not in hosts', zh: '跳板机 {host} 不在 hosts 中' },
    remedy: {
      en: 'Name a host of spec.hosts, or write the bastion out: address, user, key.',
      zh: '请使用 spec.hosts 中的主机名，或完整写出跳板机：address、user、密钥。',
    },
  },
  KX2410: {
    exit: 3,
    title: {
      en: '{host} has {has} internal addresses, but {first} has {wants}',
      zh: '{host} 的内部地址为 {has}，而 {first} 为 {wants}',
    },
    remedy: {
      en: 'All hosts of a cluster need the same families, in the same order.',
      zh: '同一集群中所有主机的地址协议族和顺序必须一致。',
    },
  },
  KX2411: {
    exit: 3,
    title: { en: 'a bastion needs host or address', zh: '跳板机需要 host 或 address' },
    remedy: {
      en: 'Write either host: the name of a host of spec.hosts, or address: where it is; not both.',
      zh: '请写 host（spec.hosts 中的主机名）或 address（地址），二者只能选一。',
    },
  },
  KX2501: {
    exit: 3,
    title: {
      en: 'externalLoadBalancer {mode} needs hosts with the role loadbalancer',
      zh: 'externalLoadBalancer 为 {mode} 时需要 loadbalancer 角色的主机',
    },
    remedy: {
      en: 'Add roleGroups.loadbalancer with one or, better, two hosts.',
      zh: '请添加 roleGroups.loadbalancer，包含一台，最好两台主机。',
    },
  },
  KX2502: {
    exit: 3,
    title: {
      en: 'hosts have the role loadbalancer, but no load balancer is installed on them',
      zh: '有主机担任 loadbalancer 角色，但不会在其上安装负载均衡',
    },
    remedy: {
      en: 'Set controlPlaneEndpoint.externalLoadBalancer to kubexm-kh or kubexm-kn, or remove roleGroups.loadbalancer. Now it is "{mode}".',
      zh: '请将 controlPlaneEndpoint.externalLoadBalancer 设为 kubexm-kh 或 kubexm-kn，或删除 roleGroups.loadbalancer。当前为 "{mode}"。',
    },
  },
  KX2504: {
    exit: 3,
    title: { en: '{count} masters, but no load balancer in front of them', zh: '有 {count} 个 master，但没有负载均衡' },
    remedy: {
      en: 'Set controlPlaneEndpoint.internalLoadbalancer to haproxy, nginx or kube-vip, or externalLoadBalancer to kubexm or external.',
      zh: '请将 controlPlaneEndpoint.internalLoadbalancer 设为 haproxy、nginx 或 kube-vip，或将 externalLoadBalancer 设为 kubexm 或 external。',
    },
  },
  KX2505: {
    exit: 3,
    title: {
      en: '{mode} needs a virtual IP in controlPlaneEndpoint.lb_address',
      zh: '{mode} 需要在 controlPlaneEndpoint.lb_address 中填写虚拟 IP',
    },
    remedy: {
      en: 'Give a free address of the network of these hosts, one that no machine has.',
      zh: '请填写这些主机所在网段中一个未被使用的地址。',
    },
  },
  KX2506: {
    exit: 3,
    title: { en: 'an external load balancer needs its address', zh: '外部负载均衡需要填写地址' },
    remedy: {
      en: 'Set controlPlaneEndpoint.lb_address to it, or externalDNS: true if your DNS resolves the domain.',
      zh: '请填写 controlPlaneEndpoint.lb_address；如果域名由您的 DNS 解析，请设置 externalDNS: true。',
    },
  },
  KX2507: {
    exit: 3,
    title: {
      en: 'externalDNS: true and lb_address exclude each other',
      zh: 'externalDNS: true 与 lb_address 不能同时使用',
    },
    remedy: {
      en: 'With externalDNS your DNS resolves {domain}: set lb_address to "". Otherwise set externalDNS: false.',
      zh: '使用 externalDNS 时由您的 DNS 解析 {domain}：请将 lb_address 设为 ""；否则设置 externalDNS: false。',
    },
  },
  KX2508: {
    exit: 3,
    title: {
      en: '{mode} holds a virtual IP itself and cannot be used with externalDNS: true',
      zh: '{mode} 自身管理虚拟 IP，不能与 externalDNS: true 同时使用',
    },
    remedy: {
      en: 'Set externalDNS: false and lb_address to the virtual IP.',
      zh: '请设置 externalDNS: false，并在 lb_address 中填写虚拟 IP。',
    },
  },
  KX2509: {
    exit: 3,
    title: {
      en: 'externalLoadBalancer and internalLoadbalancer are both set',
      zh: 'externalLoadBalancer 和 internalLoadbalancer 同时设置',
    },
    remedy: { en: 'Keep one; set the other to "".', zh: '请保留一个，将另一个设为 ""。' },
  },
  KX2510: {
    exit: 3,
    title: { en: 'nothing would answer under lb_address {address}', zh: 'lb_address {address} 上不会有任何服务' },
    remedy: {
      en: 'With internalLoadbalancer {mode} every worker reaches the masters through its own proxy: set lb_address to "".',
      zh: 'internalLoadbalancer 为 {mode} 时，每个 worker 通过自己的代理访问 master：请将 lb_address 设为 ""。',
    },
  },
  KX2511: {
    exit: 3,
    title: { en: 'lb_address {address} already belongs to {host}', zh: 'lb_address {address} 已被 {host} 使用' },
    remedy: { en: 'Choose an address that no machine has.', zh: '请选择未被任何机器使用的地址。' },
  },
  KX2512: {
    exit: 3,
    title: {
      en: '{host} is a master and a load balancer: both want port {port}',
      zh: '{host} 既是 master 又是负载均衡：端口 {port} 冲突',
    },
    remedy: {
      en: 'Use other hosts as load balancers, or another controlPlaneEndpoint.port.',
      zh: '请使用其他主机作为负载均衡，或更改 controlPlaneEndpoint.port。',
    },
  },
  KX2513: {
    exit: 3,
    title: {
      en: 'loadBalancer.mode is {mode}, but loadBalancer.{other} is set',
      zh: 'loadBalancer.mode 为 {mode}，但设置了 loadBalancer.{other}',
    },
    remedy: {
      en: 'Remove loadBalancer.{other}, or change the mode.',
      zh: '请删除 loadBalancer.{other}，或更改 mode。',
    },
  },
  KX2514: {
    exit: 3,
    title: {
      en: 'lb_address {address} is of a family that the hosts do not have',
      zh: 'lb_address {address} 的协议族与主机不符',
    },
    remedy: {
      en: 'Use an address of a family in internalAddress.',
      zh: '请使用 internalAddress 中具有的协议族的地址。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
