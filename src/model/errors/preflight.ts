import type { ErrorEntry } from './entry.ts';
import { preflightNetworkErrors } from './preflight-network.ts';

/** KX45xx: what the checks before a cluster find. How bad a finding is comes with it: some are only worth knowing. */
export const preflightErrors = {
  KX4500: {
    exit: 4,
    title: {
      en: 'the checks before the start found {errors} errors; nothing was changed',
      zh: '开始前的检查发现 {errors} 个错误；未做任何更改',
    },
    remedy: {
      en: 'Fix the errors in the table above, then run again. --skip-preflight skips all checks; the run may then fail half-way.',
      zh: '请按上表修复后再次运行。--skip-preflight 会跳过所有检查：那样可能会中途失败。',
    },
  },
  KX4501: {
    exit: 4,
    title: { en: 'kubexm is not root here', zh: 'kubexm 在此没有 root 权限' },
    remedy: {
      en: 'Log in as root, or as a user who may use sudo for everything.',
      zh: '请以 root 登录，或使用拥有完整 sudo 权限的用户。',
    },
  },
  KX4502: {
    exit: 4,
    title: { en: '{system} is not supported', zh: '不支持操作系统 {system}' },
    remedy: {
      en: 'Install one of: {supported}.',
      zh: '请安装下列系统之一：{supported}。',
    },
  },
  KX4503: {
    exit: 4,
    title: {
      en: '{system} is not one of the systems that kubexm knows; it is treated like its family, {family}',
      zh: '{system} 不在 kubexm 已知的系统之列，将按其所属的 {family} 系列处理',
    },
    remedy: {
      en: 'Try it on machines that you can spare first. Known: {supported}.',
      zh: '请先在可以重装的机器上试用。已知的系统：{supported}。',
    },
  },
  KX4504: {
    exit: 4,
    title: { en: 'the machine is not run by systemd', zh: '该机器不是由 systemd 管理的' },
    remedy: {
      en: 'kubexm installs services of systemd: boot the machine with it.',
      zh: 'kubexm 以 systemd 服务方式安装：请使用 systemd 启动该机器。',
    },
  },
  KX4505: {
    exit: 4,
    title: { en: 'processors of type {arch} are not supported', zh: '不支持 {arch} 架构的处理器' },
    remedy: { en: 'Use machines of {supported}.', zh: '请使用 {supported} 架构的机器。' },
  },
  KX4506: {
    exit: 4,
    title: {
      en: 'the file says that the processor is {wanted}, but it is {arch}',
      zh: '文件中写的处理器架构是 {wanted}，实际是 {arch}',
    },
    remedy: { en: 'Correct or remove `arch` of these hosts.', zh: '请改正或删除这些主机的 `arch`。' },
  },
  KX4507: {
    exit: 4,
    title: {
      en: '{cpus} CPU cores, at least {minimum} are needed',
      zh: '只有 {cpus} 个 CPU 核心，至少需要 {minimum} 个',
    },
    remedy: { en: 'Give the machine more cores.', zh: '请为该机器增加 CPU 核心。' },
  },
  KX4508: {
    exit: 4,
    title: {
      en: '{memory} GB of memory, at least {minimum} GB are needed for the role {role}',
      zh: '只有 {memory} GB 内存，角色 {role} 至少需要 {minimum} GB',
    },
    remedy: { en: 'Give the machine more memory.', zh: '请为该机器增加内存。' },
  },
  KX4509: {
    exit: 4,
    title: {
      en: 'kernel {kernel} is too old for {purpose}: at least {minimum} is needed',
      zh: '内核 {kernel} 对 {purpose} 来说过旧：至少需要 {minimum}',
    },
    remedy: {
      en: 'Install a newer kernel and restart the machine, or choose something else in the file.',
      zh: '请安装更新的内核并重启，或在文件中改用其他选项。',
    },
  },
  KX4510: {
    exit: 4,
    title: {
      en: 'the kernel has no module {module}, which {purpose} needs',
      zh: '内核没有模块 {module}，而 {purpose} 需要它',
    },
    remedy: {
      en: 'Install the further modules of the running kernel (linux-modules-extra-…, kernel-modules-extra), or restart if a newer kernel was installed; take a line that disables it out of /etc/modprobe.d. kube-proxy does without nf_tables with kubernetes.proxyMode: iptables.',
      zh: '请安装当前内核的附加模块（linux-modules-extra-…、kernel-modules-extra）；如已安装新内核请重启；如被 /etc/modprobe.d 中的行禁用请删除该行。没有 nf_tables 时，可设置 kubernetes.proxyMode: iptables。',
    },
  },
  KX4511: {
    exit: 4,
    title: { en: 'kernel modules {modules} will be loaded', zh: '将加载内核模块 {modules}' },
    remedy: {
      en: 'Nothing to do: kubexm loads them, or the kernel does when they are needed.',
      zh: '无需处理：由 kubexm 加载，或在需要时由内核加载。',
    },
  },
  KX4513: {
    exit: 4,
    title: {
      en: 'control groups v1 with Kubernetes {version}: kubexm configures the kubelet and kubeadm to accept them',
      zh: 'Kubernetes {version} 使用 cgroup v1：kubexm 会配置 kubelet 和 kubeadm 接受它',
    },
    remedy: {
      en: 'Kubernetes is giving v1 up. Start the machines with systemd.unified_cgroup_hierarchy=1 on the kernel command line, or a newer system.',
      zh: 'Kubernetes 即将放弃 v1。请在内核命令行加上 systemd.unified_cgroup_hierarchy=1 启动，或使用更新的系统。',
    },
  },
  KX4514: {
    exit: 4,
    title: { en: 'control groups are not mounted', zh: '未挂载 cgroup' },
    remedy: {
      en: 'Mount them on /sys/fs/cgroup, as every usual system does, or restart the machine.',
      zh: '请像常规系统那样将其挂载到 /sys/fs/cgroup，或重启该机器。',
    },
  },
  KX4515: {
    exit: 4,
    title: {
      en: 'root has no CAP_SYS_RESOURCE: containers run without a lowered out-of-memory score',
      zh: 'root 没有 CAP_SYS_RESOURCE：容器无法降低 OOM 评分',
    },
    remedy: {
      en: 'Nothing to do: kubexm configures the runtime for it. This is normal in containers; a real machine has the capability.',
      zh: '无需处理：kubexm 会相应配置运行时。容器中通常如此；真实机器具有该能力。',
    },
  },
  KX4516: {
    exit: 4,
    title: { en: 'the commands {commands} are missing', zh: '缺少命令 {commands}' },
    remedy: {
      en: 'They belong to every usual system: install their packages (iproute2 or iproute, kmod, procps or procps-ng, tar, util-linux).',
      zh: '它们属于常规系统：请安装所属的软件包（iproute2 或 iproute、kmod、procps 或 procps-ng、tar、util-linux）。',
    },
  },
  KX4517: {
    exit: 4,
    title: { en: 'the packages of {commands} will be installed', zh: '将安装 {commands} 所属的软件包' },
    remedy: {
      en: 'Nothing to do, if the machine’s package sources can be reached.',
      zh: '只要该机器的软件源可用，就无需处理。',
    },
  },
  KX4518: {
    exit: 4,
    title: { en: 'SELinux is enforcing: it will be made permissive', zh: 'SELinux 处于 enforcing：将改为 permissive' },
    remedy: { en: 'Nothing to do. It is put back by delete.', zh: '无需处理。删除集群时会恢复。' },
  },
  KX4519: {
    exit: 4,
    title: {
      en: 'the firewall {firewall} is active: it will be switched off',
      zh: '防火墙 {firewall} 处于启用状态：将被关闭',
    },
    remedy: { en: 'Nothing to do. It is put back by delete.', zh: '无需处理。删除集群时会恢复。' },
  },
  KX4520: {
    exit: 4,
    title: { en: 'swap is on: it will be switched off', zh: 'Swap 已开启：将被关闭' },
    remedy: { en: 'Nothing to do. It is put back by delete.', zh: '无需处理。删除集群时会恢复。' },
  },
  KX4528: {
    exit: 4,
    title: {
      en: 'the clock differs by more than {limit} s from this machine’s',
      zh: '时钟与本机相差超过 {limit} 秒',
    },
    remedy: {
      en: 'Set the clock. With spec.system.ntpServers kubexm does it.',
      zh: '请校准时钟。设置 spec.system.ntpServers 后由 kubexm 完成。',
    },
  },
  KX4529: {
    exit: 4,
    title: {
      en: 'nothing keeps the time (chrony, ntpd, timesyncd): chrony will be set up',
      zh: '没有时间同步服务（chrony、ntpd、timesyncd）：将配置 chrony',
    },
    remedy: {
      en: 'Nothing to do; spec.system.ntpServers says which servers are asked.',
      zh: '无需处理；可用 spec.system.ntpServers 指定时间服务器。',
    },
  },
  KX4530: {
    exit: 4,
    title: { en: 'there is something of another Kubernetes: {what}', zh: '检测到 Kubernetes 残留：{what}' },
    remedy: {
      en: 'Run `kubexm reset nodes` with the file of the cluster it belonged to; clean up by hand what another tool installed.',
      zh: '请先用其所属集群的文件执行 `kubexm reset nodes`；其他工具安装的请手动清理干净后再试。',
    },
  },
  KX4531: {
    exit: 4,
    title: { en: 'the machine belongs to cluster {cluster}', zh: '该机器属于集群 {cluster}' },
    remedy: {
      en: 'Run `kubexm reset nodes` with the file of that cluster first.',
      zh: '请先用该集群的文件执行 `kubexm reset nodes`。',
    },
  },
  KX4532: {
    exit: 4,
    title: {
      en: '{runtime} runs already: it is configured and used, and never removed',
      zh: '{runtime} 已在运行：将对其配置并使用，不会删除',
    },
    remedy: { en: 'Nothing to do.', zh: '无需处理。' },
  },
  KX4533: {
    exit: 4,
    title: {
      en: '{runtime} runs already: the cluster uses {chosen}, and {runtime} is neither configured nor removed',
      zh: '{runtime} 已在运行：集群使用 {chosen}，不会配置或删除 {runtime}',
    },
    remedy: {
      en: 'Nothing to do. Docker works with a containerd of the machine: if the cluster uses that too, its settings hold for both.',
      zh: '无需处理。Docker 使用机器上的 containerd：如果集群也使用它，集群的 containerd 设置对两者都生效。',
    },
  },
  KX4545: {
    exit: 4,
    title: {
      en: 'less than {minimum} % of the disk of {path} is free: the kubelet would call for help at once',
      zh: '{path} 所在磁盘的可用空间低于 {minimum} %：kubelet 会立即报告磁盘压力',
    },
    remedy: {
      en: 'Free some space or make the disk bigger; spec.kubernetes.kubeletConfiguration.evictionHard changes the limit.',
      zh: '请释放空间或扩大磁盘；可用 spec.kubernetes.kubeletConfiguration.evictionHard 更改阈值。',
    },
  },
  KX4546: {
    exit: 4,
    title: {
      en: 'less than {minimum} GB are free on the disk of {path}',
      zh: '{path} 所在磁盘的可用空间不足 {minimum} GB',
    },
    remedy: {
      en: 'Free some space or make the disk bigger. Programs and images take {images} GB, the data of etcd up to {etcd} GB; on one disk they add up.',
      zh: '请释放空间或扩大磁盘。程序和镜像需要 {images} GB，etcd 数据最多 {etcd} GB；位于同一磁盘时需要相加。',
    },
  },
  KX4547: {
    exit: 4,
    title: {
      en: 'a durable write to the disk of {path} takes more than {limit} ms: etcd will be slow',
      zh: '{path} 所在磁盘的持久写入超过 {limit} 毫秒：etcd 会变慢',
    },
    remedy: {
      en: 'Put the directory on an SSD that nothing else uses much.',
      zh: '请将该目录放到独占的 SSD 上。',
    },
  },
  ...preflightNetworkErrors,
} as const satisfies Record<string, ErrorEntry>;
