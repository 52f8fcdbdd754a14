import { describe, expect, test } from 'vitest';
import { configFor, planContextFor } from '../../../test/support/plan-context.ts';
import { catalogue, errorRemedy, errorTitle, type Lang } from '../../model/errors/index.ts';
import type { Facts } from '../../model/facts.ts';
import type { PlanContext } from '../../plan/layers.ts';
import { expectedHosts, expectedOf } from './expected.ts';
import { judgeFacts } from './facts.ts';
import { type Finding, groupFindings } from './finding.ts';
import { type Look, looked } from './look.ts';
import { reachFindings } from './reach.ts';
import { allFindings } from './report.ts';
import { syncFindings } from './sync.ts';

const GB = 1e9;
const WELL: Partial<Facts> = {
  commands: ['ip', 'modprobe', 'mount', 'sysctl', 'tar', 'conntrack', 'ebtables', 'ipset', 'socat'],
  cpus: 2,
  memoryBytes: 4018416 * 1024,
  mounts: [{ path: '/', type: 'ext4', bytes: 100 * GB, freeBytes: 50 * GB }],
};

/** What facts say of a cluster of one master and one worker, of which the worker is different. */
async function fromFacts(
  facts: Partial<Facts>,
  spec = '',
  version = 'v1.34.2',
  all = false,
): Promise<readonly Finding[]> {
  const context = await planContextFor(configFor({ version, more: spec }), {
    facts: ({ name }) => ({ ...WELL, ...(all || name === 'node1' ? facts : {}) }),
  });
  return known(context);
}

/** What the facts of all hosts say. */
function known({ cluster, hosts }: PlanContext): readonly Finding[] {
  const expected = expectedOf(cluster);
  const judged = hosts.map(({ name, roles, facts }) => [name, judgeFacts(expected(roles), name, facts)] as const);
  return allFindings({ hosts: expectedHosts(cluster, hosts), judged: Object.fromEntries(judged), looked: {} });
}

const WANT: Look = {
  cluster: 'demo',
  ports: [6443, 10250],
  modules: [{ name: 'br_netfilter', purpose: 'kube-proxy' }],
  runtime: 'containerd',
  resolves: false,
};
const CLEAN = {
  owner: '',
  uuid: 'u-1',
  modules: 'module br_netfilter built-in',
  left: '',
  processes: '',
  ports: '',
  own: '10.2.0.1 node1',
  nameservers: '10.2.0.53 yes',
};

/** What a host's answer means. */
function fromAnswer(
  changes: Partial<typeof CLEAN> & { readonly domain?: string; readonly taken?: string } = {},
  want: Partial<Look> = {},
) {
  const text = Object.entries({ ...CLEAN, ...changes }).map(([name, body]) => `@@ ${name}\n${body}\n`);
  return looked(text.join(''), { ...WANT, ...want }).findings;
}

const said = (stdout: string) => ({ code: 0, stdout });
const looks = { a: { findings: [], uuid: 'u', isOurs: false }, b: { findings: [], uuid: 'u', isOurs: false } };
/** Two machines, or containers of one, of the same uuid. */
const twins = (container: boolean) => {
  const one = (name: string) => ({ name, hostname: name, machineId: name, arch: 'amd64', addresses: [], findings: [] });
  const more = { firewalled: false, container };
  return allFindings({
    hosts: [],
    judged: { a: { ...one('a'), ...more }, b: { ...one('b'), ...more } },
    looked: looks,
  });
};
const pods = { field: 'kubePodsCIDR', cidr: '10.233.64.0/18' };
const route = (destination: string, device = 'eth1') => ({ routes: [{ destination, device }] });
const disk = (percent: number): Partial<Facts> => ({
  mounts: [
    { path: '/', type: 'ext4', bytes: 100 * GB, freeBytes: 50 * GB },
    { path: '/var/lib', type: 'ext4', bytes: 100 * GB, freeBytes: percent * GB },
  ],
});

/** Code, how bad, what makes it, its parameters and note, and its titles in both languages. */
type Case = readonly [
  Finding['code'],
  Finding['severity'],
  () => Promise<readonly Finding[]> | readonly Finding[],
  Partial<Finding>,
  string,
  string,
];

// biome-ignore format: a table
const CASES: readonly Case[] = [
  ['KX4501', 'error', () => fromFacts({ root: false }), {}, 'kubexm is not root here', 'kubexm 在此没有 root 权限'],
  ['KX4502', 'error', () => fromFacts({ os: { id: 'alpine', version: '3.21', name: 'Alpine 3.21', family: 'alpine' } }), {}, 'Alpine 3.21 is not supported', '不支持操作系统 Alpine 3.21'],
  ['KX4503', 'warning', () => fromFacts({ os: { id: 'kylin', version: 'V10', name: 'Kylin V10', family: 'rhel' } }), {}, 'Kylin V10 is not one of the systems that kubexm knows; it is treated like its family, rhel', 'Kylin V10 不在 kubexm 已知的系统之列，将按其所属的 rhel 系列处理'],
  ['KX4504', 'error', () => fromFacts({ init: 'openrc' }), {}, 'the machine is not run by systemd', '该机器不是由 systemd 管理的'],
  ['KX4505', 'error', () => fromFacts({ arch: 'riscv64' }), {}, 'processors of type riscv64 are not supported', '不支持 riscv64 架构的处理器'],
  ['KX4506', 'error', async () => known(await planContextFor(configFor().replace('address: 10.2.0.1}', 'address: 10.2.0.1, arch: arm64}'), { facts: () => WELL })), {}, 'the file says that the processor is arm64, but it is amd64', '文件中写的处理器架构是 arm64，实际是 amd64'],
  ['KX4507', 'error', () => fromFacts({ cpus: 1 }), {}, '1 CPU cores, at least 2 are needed', '只有 1 个 CPU 核心，至少需要 2 个'],
  ['KX4507', 'warning', () => fromFacts({ cpus: 1, virtualization: 'systemd-nspawn' }), {}, '1 CPU cores, at least 2 are needed', '只有 1 个 CPU 核心，至少需要 2 个'],
  ['KX4508', 'error', () => fromFacts({ memoryBytes: 1.8 * GB }), {}, '1.8 GB of memory, at least 2 GB are needed for the role worker', '只有 1.8 GB 内存，角色 worker 至少需要 2 GB'],
  ['KX4509', 'error', () => fromFacts({ kernel: '2.6.32-754.el6.x86_64' }), {}, 'kernel 2.6.32-754.el6.x86_64 is too old for Kubernetes: at least 3.10 is needed', '内核 2.6.32-754.el6.x86_64 对 Kubernetes 来说过旧：至少需要 3.10'],
  ['KX4509', 'error', () => fromFacts({ kernel: '5.4.0-200-generic' }, '', 'v1.34.2, proxyMode: nftables'), {}, 'kernel 5.4.0-200-generic is too old for kube-proxy (nftables): at least 5.13 is needed', '内核 5.4.0-200-generic 对 kube-proxy (nftables) 来说过旧：至少需要 5.13'],
  ['KX4510', 'error', () => fromAnswer({ modules: 'module br_netfilter missing' }), {}, 'the kernel has no module br_netfilter, which kube-proxy needs', '内核没有模块 br_netfilter，而 kube-proxy 需要它'],
  ['KX4510', 'error', () => fromAnswer({ modules: 'module br_netfilter disabled' }), {}, 'the kernel has no module br_netfilter, which kube-proxy needs', '内核没有模块 br_netfilter，而 kube-proxy 需要它'],
  ['KX4511', 'warning', () => fromAnswer({ modules: 'module br_netfilter loadable bridge br_netfilter' }), {}, 'kernel modules br_netfilter will be loaded', '将加载内核模块 br_netfilter'],
  ['KX4513', 'warning', () => fromFacts({ cgroup: 1 }, '', 'v1.35.0'), {}, 'control groups v1 with Kubernetes v1.35.0: kubelet and kubeadm will be told to accept them', 'Kubernetes v1.35.0 使用 cgroup v1：将告知 kubelet 和 kubeadm 接受它'],
  ['KX4514', 'error', () => fromFacts({ cgroup: 0 }), {}, 'control groups are not mounted', '未挂载 cgroup'],
  ['KX4515', 'info', () => fromFacts({ capabilities: ['sys_admin'] }), {}, 'root has no CAP_SYS_RESOURCE: containers run without a lowered out-of-memory score', 'root 没有 CAP_SYS_RESOURCE：容器无法降低 OOM 评分'],
  ['KX4516', 'error', () => fromFacts({ commands: ['ip', 'modprobe', 'mount', 'conntrack', 'ebtables', 'ipset', 'socat'] }), {}, 'the commands sysctl, tar are missing', '缺少命令 sysctl, tar'],
  ['KX4517', 'warning', () => fromFacts({ commands: ['ip', 'modprobe', 'mount', 'sysctl', 'tar', 'ipset'] }), {}, 'the packages of conntrack, ebtables, socat will be installed', '将安装 conntrack, ebtables, socat 所属的软件包'],
  ['KX4518', 'warning', () => fromFacts({ selinux: 'enforcing' }), {}, 'SELinux is enforcing: it will be made permissive', 'SELinux 处于 enforcing：将改为 permissive'],
  ['KX4519', 'warning', () => fromFacts({ firewall: ['firewalld'] }), {}, 'the firewall firewalld is active: it will be switched off', '防火墙 firewalld 处于启用状态：将被关闭'],
  ['KX4520', 'warning', () => fromFacts({ swapBytes: GB }), {}, 'swap is on: it will be switched off', 'Swap 已开启：将被关闭'],
  ['KX4521', 'warning', () => fromFacts({ hostname: 'Node_1' }), { note: 'Node_1' }, 'the machine is called something else: its host name will be the name in the file', '主机名与文件中的名称不同：将改为文件中的名称'],
  ['KX4522', 'warning', () => fromAnswer({ own: '127.0.1.1       node1' }), { note: '127.0.1.1' }, 'the machine’s own name leads to a loopback address: the names of all hosts will be added to /etc/hosts', '主机名解析到回环地址：将把所有主机名写入 /etc/hosts'],
  ['KX4523', 'warning', () => fromFacts({ hostname: 'localhost' }, '', 'v1.34.2', true), { hosts: ['cp1', 'node1'] }, 'several machines are called localhost: each gets the name in the file', '多台机器的主机名都是 localhost：将各自改为文件中的名称'],
  ['KX4524', 'error', () => fromFacts({ addresses: [] }), { note: '10.2.0.1' }, 'the machine does not have its internal address', '该机器上没有其内部地址'],
  ['KX4525', 'error', () => fromFacts({ addresses: ['10.1.0.1', '10.2.0.1'].map((address) => ({ device: 'eth0', address, prefix: 24, family: 4 })) }), { hosts: ['cp1', 'node1'] }, 'several machines have the address 10.1.0.1', '多台机器都有地址 10.1.0.1'],
  ['KX4526', 'error', () => fromFacts({ machineId: 'abc' }, '', 'v1.34.2', true), { hosts: ['cp1', 'node1'] }, 'several machines have the machine id abc', '多台机器的 machine-id 都是 abc'],
  ['KX4527', 'warning', () => twins(false), { hosts: ['a', 'b'] }, 'several machines have the product uuid u', '多台机器的 product_uuid 都是 u'],
  ['KX4528', 'error', () => fromFacts({ timeOffsetMs: -12_300 }), { note: '-12 s' }, 'the clock differs by more than 5 s from this machine’s', '时钟与本机相差超过 5 秒'],
  ['KX4528', 'warning', () => fromFacts({ timeOffsetMs: 7_000 }, '  system: {ntpServers: [ntp.example.com]}'), { note: '+7 s' }, 'the clock differs by more than 5 s from this machine’s', '时钟与本机相差超过 5 秒'],
  ['KX4529', 'warning', () => fromFacts({ ntp: 'none' }), {}, 'nothing keeps the time (chrony, ntpd, timesyncd): chrony will be set up', '没有时间同步服务（chrony、ntpd、timesyncd）：将配置 chrony'],
  ['KX4530', 'error', () => fromAnswer({ left: '/etc/kubernetes\nkubelet.service\nkubelet.service', processes: 'kubelet\nkubelet' }), {}, 'there is something of another Kubernetes: /etc/kubernetes, kubelet.service, kubelet', '检测到 Kubernetes 残留：/etc/kubernetes, kubelet.service, kubelet'],
  ['KX4531', 'error', () => fromAnswer({ owner: 'a-b-c other', left: '/etc/kubernetes' }), {}, 'the machine belongs to cluster other', '该机器属于集群 other'],
  ['KX4532', 'info', () => fromAnswer({ processes: 'containerd' }), {}, 'containerd runs already: it is configured and used, and never removed', 'containerd 已在运行：将对其配置并使用，不会删除'],
  ['KX4532', 'info', () => fromAnswer({ processes: 'crio' }, { runtime: 'cri-o' }), {}, 'crio runs already: it is configured and used, and never removed', 'crio 已在运行：将对其配置并使用，不会删除'],
  ['KX4533', 'info', () => fromAnswer({ processes: 'dockerd' }), {}, 'dockerd runs already: the cluster uses containerd, and dockerd is neither configured nor removed', 'dockerd 已在运行：集群使用 containerd，不会配置或删除 dockerd'],
  ['KX4533', 'info', () => fromAnswer({ processes: 'containerd' }, { runtime: 'isulad' }), {}, 'containerd runs already: the cluster uses isulad, and containerd is neither configured nor removed', 'containerd 已在运行：集群使用 isulad，不会配置或删除 containerd'],
  ['KX4535', 'error', () => fromAnswer({ ports: '6443 812 nginx' }), { note: 'nginx (pid 812)' }, 'port 6443 is taken', '端口 6443 已被占用'],
  ['KX4535', 'error', () => fromAnswer({ ports: '6443 - ', owner: 'a-b-c demo' }), {}, 'port 6443 is taken', '端口 6443 已被占用'],
  ['KX4536', 'error', () => fromAnswer({ nameservers: '' }), {}, '/etc/resolv.conf names no server: it is missing, empty or without a nameserver', '/etc/resolv.conf 无效：不存在、为空或没有 nameserver'],
  ['KX4536', 'warning', () => fromAnswer({ nameservers: '' }, { resolves: true }), {}, '/etc/resolv.conf names no server: it is missing, empty or without a nameserver', '/etc/resolv.conf 无效：不存在、为空或没有 nameserver'],
  ['KX4538', 'warning', () => fromAnswer({ nameservers: '10.0.0.2 no\n10.0.0.1 no' }), {}, 'no DNS server of /etc/resolv.conf answers: 10.0.0.1, 10.0.0.2', '/etc/resolv.conf 中的 DNS 服务器均无应答：10.0.0.1, 10.0.0.2'],
  ['KX4539', 'error', () => fromAnswer({ domain: '' }, { domain: 'cp.example.com' }), {}, 'the name of the control plane, cp.example.com, is not known here', '此处无法解析控制平面的名称 cp.example.com'],
  ['KX4540', 'error', () => reachFindings({ a: said('listening'), b: said('listening'), c: said('listening') }, { a: said('done'), b: said('no a 6443\ndone'), c: said('no a 6443\ndone') }, []), {}, 'a, port 6443, cannot be reached from here', '从此处无法连接 a 的端口 6443'],
  ['KX4540', 'warning', () => reachFindings({ a: said('listening'), b: said('listening') }, { a: said('done'), b: said('no a 6443\ndone') }, ['a']), {}, 'a, port 6443, cannot be reached from here', '从此处无法连接 a 的端口 6443'],
  ['KX4541', 'error', () => reachFindings({ a: said('listening'), b: said('listening'), c: said('listening') }, { a: said('no b 10250\nno c 10250\ndone'), b: said('done'), c: said('done') }, []), {}, 'port 10250 cannot be reached from a', 'a 无法连接此处的端口 10250'],
  ['KX4542', 'info', () => reachFindings({ a: said('none'), b: said('listening') }, { a: said('done'), b: said('no a 6443\ndone') }, []), { hosts: ['a'] }, 'ports between hosts were not tried: there is nothing to listen or to connect with', '未能检查主机之间的端口：没有可用于监听或连接的程序'],
  ['KX4548', 'error', () => fromAnswer({ taken: '10.0.0.100' }), {}, 'the virtual IP 10.0.0.100 answers already: another machine has it', '虚拟 IP 10.0.0.100 已有应答：已被其他机器占用'],
  ['KX4543', 'error', () => fromFacts(route('10.233.100.0/24')), { params: pods, note: '10.233.100.0/24 eth1' }, 'kubePodsCIDR 10.233.64.0/18 is in use here already', 'kubePodsCIDR 10.233.64.0/18 在此处已被使用'],
  ['KX4544', 'warning', () => fromFacts(route('10.233.64.0/17')), { params: pods, note: '10.233.64.0/17 eth1' }, 'kubePodsCIDR 10.233.64.0/18 is a part of a network that is routed here: that part will be out of reach', 'kubePodsCIDR 10.233.64.0/18 属于此处已有路由的网段：该部分将无法访问'],
  ['KX4545', 'error', () => fromFacts(disk(9.9)), { note: '9.9 / 100 GB' }, 'less than 10 % of the disk of /var/lib/kubelet is free: the kubelet would call for help at once', '/var/lib/kubelet 所在磁盘的可用空间低于 10 %：kubelet 会立即报告磁盘压力'],
  ['KX4546', 'error', () => fromFacts(disk(2)), { note: '2.0 GB' }, 'less than 3 GB are free on the disk of /var/lib/containerd', '/var/lib/containerd 所在磁盘的可用空间不足 3 GB'],
  ['KX4547', 'warning', () => syncFindings({ a: said('23400'), b: said('900'), c: said('') }, '/var/lib/etcd'), { hosts: ['a'], note: '23 ms' }, 'a durable write to the disk of /var/lib/etcd takes more than 10 ms: etcd will be slow', '/var/lib/etcd 所在磁盘的持久写入超过 10 毫秒：etcd 会变慢'],
];

describe('every finding', () => {
  test.each(CASES)('%s, %s', async (code, severity, make, parts, en, zh) => {
    const all = await make();
    const found = all.find((one) => one.code === code);
    expect(found, JSON.stringify(all)).toMatchObject({ code, severity, ...parts });
    const titles: Readonly<Record<Lang, string>> = { en, zh };
    for (const lang of ['en', 'zh'] as const) {
      expect(errorTitle(code, found?.params ?? {}, lang)).toBe(titles[lang]);
      expect(errorRemedy(code, found?.params ?? {}, lang)).not.toMatch(/[{}]/);
    }
  });

  test('is in the table above, and ends a run with 4', () => {
    const codes = Object.entries(catalogue).filter(([code]) => code.startsWith('KX45'));
    expect([...new Set(CASES.map(([code]) => code))].toSorted()).toEqual(
      codes
        .map(([code]) => code)
        .filter((code) => code !== 'KX4500')
        .toSorted(),
    );
    expect(codes.filter(([, { exit }]) => exit !== 4)).toEqual([]);
  });
});

describe('nothing is found', () => {
  test('on good machines', async () => {
    expect(await fromFacts({})).toEqual([]);
    expect(fromAnswer()).toEqual([]);
    expect(fromAnswer({ nameservers: '10.0.0.1 no\n10.0.0.2 yes' })).toEqual([]);
    expect(fromAnswer({ nameservers: '10.0.0.1 unknown' })).toEqual([]);
  });

  test.each<[string, Partial<Facts>, string?]>([
    ['the kernel keeps a part of 2 GB', { memoryBytes: 1.92 * GB }],
    ['control groups v1 before 1.35', { cgroup: 1 }],
    ['a clock that differs by less', { timeOffsetMs: 4_900 }],
    ['the networks of this cluster', route('10.233.100.0/24', 'cni0')],
    ['a default route', route('default')],
    ['another network', route('192.168.0.0/16')],
    ['another network of IPv6', route('fd00::/8')],
    ['a kubelet that was told other limits', disk(9), 'evictionHard: {nodefs.available: 5%, imagefs.available: 5%}'],
    ['a kubelet that was told no limits of disks', disk(9), 'evictionHard: {memory.available: 100Mi}'],
  ])('%s', async (_name, facts, kubelet = '') => {
    expect(await fromFacts(facts, '', `v1.34.2, kubeletConfiguration: {${kubelet}}`)).toEqual([]);
  });

  test('in what is this cluster’s own', () => {
    const own = {
      owner: 'a-b-c demo',
      left: '/etc/kubernetes\nkubelet.service\ncni0',
      processes: 'kubelet\ncontainerd',
    };
    expect(fromAnswer({ ...own, ports: '6443 7 kube-apiserver\n10250 8 kubelet', own: '127.0.1.1 node1' })).toEqual([]);
  });

  test('by hosts that nobody listened on, or that are containers of one machine', () => {
    expect(reachFindings({ a: said('listening') }, { a: said('done') }, [])).toEqual([]);
    expect(twins(true)).toEqual([]);
  });
});

const mount = (path: string, freeGb: number) => ({ path, type: 'ext4', bytes: 10 * GB, freeBytes: freeGb * GB });

describe('disks', () => {
  const PLACES = '  registry: {containerdDataDir: /data/images}';
  const KUBELET = 'v1.34.2, kubeletArgs: [--root-dir=/data/kubelet]';
  /** What is low on the master of a cluster whose data lies below /data. */
  async function low(...mounts: readonly ReturnType<typeof mount>[]) {
    const etcd = (text: string) => text.replace('etcd: {type: kubeadm}', 'etcd: {type: kubeadm, dataDir: /data/etcd}');
    const context = await planContextFor(etcd(configFor({ version: KUBELET, more: PLACES, workers: 0 })), {
      facts: () => ({ ...WELL, mounts: [mount('/', 10), ...mounts] }),
    });
    return known(context).map(({ code, params }) => [code, params['path'], params['minimum']]);
  }

  test('are those that the file puts the data on, not the usual ones', async () => {
    expect(await low(mount('/data/images', 2.9))).toEqual([['KX4546', '/data/images', 3]]);
    expect(await low(mount('/data/kubelet', 0.9))).toEqual([['KX4545', '/data/kubelet', 10]]);
    expect(await low(mount('/data/etcd', 1.9))).toEqual([['KX4546', '/data/etcd', 2]]);
    expect(await low(mount('/var/lib', 0))).toEqual([]);
  });

  test('that hold both images and etcd’s data need room for both', async () => {
    expect(await low(mount('/data', 5))).toEqual([]);
    expect(await low(mount('/data', 4.9))).toEqual([['KX4546', '/data/images, /data/etcd', 5]]);
    expect(await low(mount('/data', 4.9), mount('/data/etcd', 2))).toEqual([]);
  });

  test('of workers, of an etcd outside and of hosts of etcd alone need what is theirs', async () => {
    const { cluster } = await planContextFor(configFor());
    const external = {
      ...cluster,
      spec: { ...cluster.spec, etcd: { ...cluster.spec.etcd, type: 'external' } },
    } as const;
    expect(Object.keys(expectedOf(cluster)(['worker']).places)).toEqual(['kubeletDir', 'imageDir']);
    expect(Object.keys(expectedOf(cluster)(['etcd']).places)).toEqual(['etcdDir']);
    expect(Object.keys(expectedOf(cluster)(['etcd', 'master']).places)).toEqual(['kubeletDir', 'imageDir', 'etcdDir']);
    expect(Object.keys(expectedOf(external)(['etcd', 'master']).places)).toEqual(['kubeletDir', 'imageDir']);
    expect(expectedOf(cluster)(['loadbalancer']).places).toEqual({});
  });
});

test('a host of this cluster holds its data already, and has the routes to its pods', async () => {
  const { cluster, hosts } = await planContextFor(configFor({ workers: 0 }), {
    facts: () => ({
      ...WELL,
      mounts: [mount('/', 4)],
      routes: ['10.233.65.0/24', '10.233.1.0/24'].map((destination) => ({ destination, device: 'eth0' })),
    }),
  });
  const judged = Object.fromEntries(
    hosts.map(({ name, roles, facts }) => [name, judgeFacts(expectedOf(cluster)(roles), name, facts)]),
  );
  const found = (isOurs: boolean) =>
    allFindings({ hosts: [], judged, looked: { cp1: { findings: [], uuid: '', isOurs } } }).map(
      ({ code, params }) => `${code} ${params['field'] ?? ''}`,
    );
  expect(found(false).sort()).toEqual(['KX4543 kubePodsCIDR', 'KX4543 kubeServiceCIDR', 'KX4546 ']);
  // Nobody routes to services.
  expect(found(true)).toEqual(['KX4543 kubeServiceCIDR']);
});

test('the worst comes first, and equal findings are one', async () => {
  const all = [...(await fromFacts({ swapBytes: 1, cpus: 1, capabilities: [] }, '', 'v1.34.2', true))];
  expect(groupFindings(all).map(({ code, hosts }) => [code, hosts.length])).toEqual([
    ['KX4507', 2],
    ['KX4520', 2],
    ['KX4515', 2],
  ]);
});

test('a virtual IP that answers is no news once a host belongs to the cluster', () => {
  const one = (isOurs: boolean) => ({ findings: fromAnswer({ taken: '10.0.0.100' }), uuid: '', isOurs });
  const codes = (isOurs: boolean) => {
    const looked = { cp1: one(false), lb1: { findings: [], uuid: '', isOurs } };
    return allFindings({ hosts: [], judged: {}, looked }).map(({ code }) => code);
  };
  expect(codes(false)).toContain('KX4548');
  expect(codes(true)).not.toContain('KX4548');
});
