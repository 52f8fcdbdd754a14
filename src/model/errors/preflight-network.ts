import type { ErrorEntry } from './entry.ts';

/** KX452x–KX454x: names, addresses, ports and networks before a cluster. Part of preflightErrors. */
export const preflightNetworkErrors = {
  KX4521: {
    exit: 4,
    title: {
      en: 'the machine is called something else: its host name will be the name in the file',
      zh: '主机名与文件中的名称不同：将改为文件中的名称',
    },
    remedy: {
      en: 'Nothing to do. To keep the name, write it into the file.',
      zh: '无需处理。如需保留原名，请写入文件。',
    },
  },
  KX4522: {
    exit: 4,
    title: {
      en: 'the machine’s own name leads to a loopback address: the names of all hosts will be added to /etc/hosts',
      zh: '主机名解析到回环地址：将把所有主机名写入 /etc/hosts',
    },
    remedy: {
      en: 'Nothing to do for kubexm. Programs that ask for the own name get that address until you remove the line from /etc/hosts.',
      zh: 'kubexm 无需处理。在从 /etc/hosts 删除该行之前，查询本机名的程序仍会得到该地址。',
    },
  },
  KX4523: {
    exit: 4,
    title: {
      en: 'several machines are called {hostname}: each gets the name in the file',
      zh: '多台机器的主机名都是 {hostname}：将各自改为文件中的名称',
    },
    remedy: { en: 'Check that they are different machines.', zh: '请确认它们是不同的机器。' },
  },
  KX4524: {
    exit: 4,
    title: { en: 'the machine does not have its internal address', zh: '该机器上没有其内部地址' },
    remedy: {
      en: 'Set `internalAddress` of the host to an address that the machine itself has: `ip addr` lists them.',
      zh: '请将该主机的 `internalAddress` 设为机器自身拥有的地址：可用 `ip addr` 查看。',
    },
  },
  KX4525: {
    exit: 4,
    title: { en: 'several machines have the address {address}', zh: '多台机器都有地址 {address}' },
    remedy: {
      en: 'Give each machine an address of its own, or correct the file.',
      zh: '请为每台机器分配独立的地址，或改正文件。',
    },
  },
  KX4526: {
    exit: 4,
    title: { en: 'several machines have the machine id {id}', zh: '多台机器的 machine-id 都是 {id}' },
    remedy: {
      en: 'They are copies of one machine. On all but one: rm /etc/machine-id && systemd-machine-id-setup, then restart.',
      zh: '它们是同一台机器的克隆。除一台外都执行：rm /etc/machine-id && systemd-machine-id-setup，然后重启。',
    },
  },
  KX4527: {
    exit: 4,
    title: { en: 'several machines have the product uuid {id}', zh: '多台机器的 product_uuid 都是 {id}' },
    remedy: {
      en: 'Check that they are different machines, and give each a uuid of its own in the hypervisor.',
      zh: '请确认它们是不同的机器，并在虚拟化平台中为每台分配独立的 uuid。',
    },
  },
  KX4535: {
    exit: 4,
    title: { en: 'port {port} is taken', zh: '端口 {port} 已被占用' },
    remedy: { en: 'Stop the program, or move it to another port.', zh: '请停止该程序，或改用其他端口。' },
  },
  KX4536: {
    exit: 4,
    title: {
      en: '/etc/resolv.conf names no server: it is missing, empty or without a nameserver',
      zh: '/etc/resolv.conf 无效：不存在、为空或没有 nameserver',
    },
    remedy: {
      en: 'Configure a DNS server, or name one in spec.extra.resolves: kubexm adds it.',
      zh: '请配置 DNS 服务器，或在 spec.extra.resolves 中指定，由 kubexm 添加。',
    },
  },
  KX4538: {
    exit: 4,
    title: {
      en: 'no DNS server of /etc/resolv.conf answers: {servers}',
      zh: '/etc/resolv.conf 中的 DNS 服务器均无应答：{servers}',
    },
    remedy: {
      en: 'Pods will not find names outside of the cluster. Correct /etc/resolv.conf, or let port 53 through.',
      zh: 'Pod 将无法解析集群外的名称。请改正 /etc/resolv.conf，或放行 53 端口。',
    },
  },
  KX4539: {
    exit: 4,
    title: {
      en: 'the name of the control plane, {domain}, is not known here',
      zh: '此处无法解析控制平面的名称 {domain}',
    },
    remedy: {
      en: 'Add it to your DNS, or set spec.controlPlaneEndpoint.externalDNS to false.',
      zh: '请在 DNS 中添加，或将 spec.controlPlaneEndpoint.externalDNS 设为 false。',
    },
  },
  KX4540: {
    exit: 4,
    title: { en: '{target}, port {port}, cannot be reached from here', zh: '从此处无法连接 {target} 的端口 {port}' },
    remedy: {
      en: 'Let TCP through between the machines: look at firewalls, security groups and routes.',
      zh: '请放行机器之间的 TCP：检查防火墙、安全组和路由。',
    },
  },
  KX4541: {
    exit: 4,
    title: { en: 'port {port} cannot be reached from {source}', zh: '{source} 无法连接此处的端口 {port}' },
    remedy: {
      en: 'Let TCP through between the machines: look at firewalls, security groups and routes.',
      zh: '请放行机器之间的 TCP：检查防火墙、安全组和路由。',
    },
  },
  KX4542: {
    exit: 4,
    title: {
      en: 'ports between hosts were not tried: there is nothing to listen or to connect with',
      zh: '未能检查主机之间的端口：没有可用于监听或连接的程序',
    },
    remedy: {
      en: 'Check yourself that these machines reach each other, or install bash, and python3 or systemd-socket-activate.',
      zh: '请自行确认这些机器可以互通，或安装 bash，以及 python3 或 systemd-socket-activate。',
    },
  },
  KX4548: {
    exit: 4,
    title: {
      en: 'the virtual IP {address} answers already: another machine has it',
      zh: '虚拟 IP {address} 已有应答：已被其他机器占用',
    },
    remedy: {
      en: 'Set spec.controlPlaneEndpoint.lb_address to an address that no machine uses, or free this one.',
      zh: '请将 spec.controlPlaneEndpoint.lb_address 设为未被使用的地址，或释放该地址。',
    },
  },
  KX4543: {
    exit: 4,
    title: { en: '{field} {cidr} is in use here already', zh: '{field} {cidr} 在此处已被使用' },
    remedy: {
      en: 'Choose a network in the file that no machine uses.',
      zh: '请在文件中选择任何机器都未使用的网段。',
    },
  },
  KX4544: {
    exit: 4,
    title: {
      en: '{field} {cidr} is a part of a network that is routed here: that part will be out of reach',
      zh: '{field} {cidr} 属于此处已有路由的网段：该部分将无法访问',
    },
    remedy: {
      en: 'If something answers there, choose another network in the file.',
      zh: '如果该网段内有在用的地址，请在文件中改用其他网段。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
