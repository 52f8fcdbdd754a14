import type { ErrorEntry } from './entry.ts';

/** KX6xxx: the lab's machines. */
export const labErrors = {
  KX6001: {
    exit: 4,
    title: { en: 'labs need {programs}, which is not on this machine', zh: '实验环境需要 {programs}，本机没有' },
    remedy: { en: 'Install as root: {packages}', zh: '请以 root 安装：{packages}' },
  },
  KX6002: {
    exit: 64,
    title: { en: 'there is a lab {name} already', zh: '实验环境 {name} 已存在' },
    remedy: {
      en: 'Choose another name, or remove it first: kubexm lab delete {name}',
      zh: '请换一个名称，或先删除它：kubexm lab delete {name}',
    },
  },
  KX6003: {
    exit: 64,
    title: { en: 'no lab has a machine {name}', zh: '没有实验环境包含机器 {name}' },
    remedy: { en: 'There are: {names}', zh: '现有机器：{names}' },
  },
  KX6004: {
    exit: 64,
    title: { en: 'there is no lab {name}', zh: '没有实验环境 {name}' },
    remedy: { en: 'There are: {names}', zh: '现有实验环境：{names}' },
  },
  KX6005: {
    exit: 64,
    title: { en: 'this cannot be a lab: {detail}', zh: '无法创建这样的实验环境：{detail}' },
    remedy: { en: 'Change that and try again.', zh: '请修改后重试。' },
  },
  KX6006: {
    exit: 4,
    title: { en: 'labs need Linux and root; this is {what}', zh: '实验环境需要 Linux 和 root；当前是 {what}' },
    remedy: {
      en: 'Run the command as root on a Linux machine, for example with sudo.',
      zh: '请在 Linux 机器上以 root 运行，例如使用 sudo。',
    },
  },
  KX6007: {
    exit: 4,
    title: {
      en: 'this machine’s apt sources name no mirror that has {image}',
      zh: '本机的 apt 源中没有包含 {image} 的镜像',
    },
    remedy: {
      en: 'Add a source of Debian to /etc/apt/sources.list.d. With “Enabled: no” apt itself passes it over, and the lab still uses it.',
      zh: '请在 /etc/apt/sources.list.d 中添加 Debian 源。设为 “Enabled: no” 时 apt 会忽略它，实验环境仍可使用。',
    },
  },
  KX6008: {
    exit: 1,
    title: { en: 'the image {image} could not be made: {reason}', zh: '无法制作镜像 {image}：{reason}' },
    remedy: {
      en: 'Check that apt-get update works on this machine and that the disk has 1 GB free.',
      zh: '请确认本机 apt-get update 可用，且磁盘有 1 GB 可用空间。',
    },
  },
  KX6010: {
    exit: 64,
    title: {
      en: 'the network {subnet} overlaps with {other} of this machine',
      zh: '网络 {subnet} 与本机的 {other} 重叠',
    },
    remedy: {
      en: 'Choose another network, or omit it to use a free one. Delete an existing lab and create it again.',
      zh: '请换一个网络，或不指定以自动选择。已有的实验环境需删除后重新创建。',
    },
  },
  KX6011: {
    exit: 4,
    title: { en: 'no network of 10.88.0.0/16 is free', zh: '10.88.0.0/16 中没有空闲网络' },
    remedy: { en: 'Choose a network yourself, or delete a lab.', zh: '请自行指定网络，或删除一个实验环境。' },
  },
  KX6012: {
    exit: 4,
    title: { en: 'the link {link} exists and is not of lab {name}', zh: '链路 {link} 已存在，但不属于实验环境 {name}' },
    remedy: {
      en: 'Look at it with: ip link show {link}. Remove it if nobody needs it.',
      zh: '请用 ip link show {link} 查看。若无人使用请删除它。',
    },
  },
  KX6013: {
    exit: 1,
    title: { en: 'lab {name} is not whole: {what} was interrupted', zh: '实验环境 {name} 不完整：{what} 被中断' },
    remedy: {
      en: 'Repeat that, or remove the lab: kubexm lab delete {name}',
      zh: '请重试该操作，或删除实验环境：kubexm lab delete {name}',
    },
  },
  KX6014: {
    exit: 5,
    title: { en: 'machine {machine} does not run', zh: '机器 {machine} 未运行' },
    remedy: { en: 'Start it: kubexm lab start {machine}', zh: '请启动它：kubexm lab start {machine}' },
  },
  KX6015: {
    exit: 1,
    title: {
      en: 'machine {machine} let nobody in within {seconds} s: {reason}',
      zh: '机器 {machine} 在 {seconds} 秒内无法登录：{reason}',
    },
    remedy: {
      en: 'Its console is shown above. On a busy machine, make fewer machines at once.',
      zh: '上面是其控制台输出。如果本机繁忙，请减少同时创建的机器。',
    },
  },
  KX6016: {
    exit: 4,
    title: {
      en: 'this machine’s kernel cannot delay packets: it has no netem',
      zh: '本机内核无法延迟数据包：没有 netem',
    },
    remedy: {
      en: 'Use a kernel with CONFIG_NET_SCH_NETEM; distributions’ own have it, some in a package of extra modules.',
      zh: '请使用带 CONFIG_NET_SCH_NETEM 的内核；发行版内核都有，有的在额外模块包中。',
    },
  },
  KX6017: {
    exit: 64,
    title: { en: 'lab {name} has no snapshot {snapshot}', zh: '实验环境 {name} 没有快照 {snapshot}' },
    remedy: { en: 'Take one: kubexm lab snapshot {name}', zh: '请先创建：kubexm lab snapshot {name}' },
  },
  KX6018: {
    exit: 1,
    title: { en: 'lab {name}: {what} could not be removed', zh: '实验环境 {name}：无法移除 {what}' },
    remedy: {
      en: 'Try again: kubexm lab delete {name}. If it stays, something outside of the lab holds it.',
      zh: '请重试：kubexm lab delete {name}。若仍存在，说明有外部程序占用。',
    },
  },
  KX6019: {
    exit: 4,
    title: { en: 'could not install {packages}: {reason}', zh: '无法安装 {packages}：{reason}' },
    remedy: {
      en: 'Check the package sources of this machine, or install the packages yourself.',
      zh: '请检查本机的软件包源，或自行安装这些软件包。',
    },
  },
  KX6020: {
    exit: 1,
    title: { en: '{command} failed: {reason}', zh: '{command} 失败：{reason}' },
    remedy: {
      en: 'Its last lines are shown above. Remove what was begun with: kubexm lab delete',
      zh: '上面是其最后几行输出。可用 kubexm lab delete 删除已创建的内容。',
    },
  },
  KX6021: {
    exit: 4,
    title: { en: 'labs cannot be kept in {dir}: {reason}', zh: '无法在 {dir} 中存放实验环境：{reason}' },
    remedy: {
      en: 'Set XDG_STATE_HOME or KUBEXM_HOME to a directory on a plain disk, such as ext4 or xfs.',
      zh: '请将 XDG_STATE_HOME 或 KUBEXM_HOME 设为普通磁盘（如 ext4 或 xfs）上的目录。',
    },
  },
  KX6022: {
    exit: 1,
    title: {
      en: 'the package repository of lab {name} did not start: {reason}',
      zh: '实验环境 {name} 的软件包仓库未能启动：{reason}',
    },
    remedy: {
      en: 'Check that no firewall of this machine blocks its link to the lab, then try again.',
      zh: '请确认本机防火墙没有拦截通往实验环境的链路，然后重试。',
    },
  },
  KX6023: {
    exit: 1,
    title: {
      en: 'the record of lab {name}, {file}, cannot be used: {reason}',
      zh: '无法使用实验环境 {name} 的记录 {file}：{reason}',
    },
    remedy: {
      en: 'The disk was perhaps full, or another version of kubexm wrote it. Other labs are not concerned. Remove this one: kubexm lab delete {name}',
      zh: '可能磁盘曾写满，或由其他版本的 kubexm 写入。其他实验环境不受影响。请删除它：kubexm lab delete {name}',
    },
  },
  KX6024: {
    exit: 1,
    title: {
      en: 'what labs changed on this machine is not known: {file} cannot be read: {reason}',
      zh: '无法得知实验环境对本机的改动：无法读取 {file}：{reason}',
    },
    remedy: {
      en: 'Restart this machine, or remove the file if no lab runs: settings that labs raised then stay until the next start.',
      zh: '请重启本机；若没有运行中的实验环境，也可删除该文件：实验环境调高的设置将保留到下次启动。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
