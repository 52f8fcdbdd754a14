import type { ErrorEntry } from './entry.ts';

/** KX8xxx: what is recorded about runs: the log, the event store, the metrics. */
export const recordErrors = {
  KX8001: {
    exit: 1,
    title: {
      en: 'the {sink} fails, and the run goes on without it: {reason}',
      zh: '{sink} 出错，运行继续但不再依赖它：{reason}',
    },
    remedy: {
      en: 'The run itself is not affected. Look at free space and permissions where kubexm keeps its files.',
      zh: '运行本身不受影响。请检查 kubexm 存放文件处的剩余空间和权限。',
    },
  },
  KX8002: {
    exit: 1,
    title: {
      en: 'the event store {file} was damaged; it is kept as {kept}, and a new one was begun',
      zh: '事件库 {file} 已损坏；原文件保留为 {kept}，并新建了一个',
    },
    remedy: {
      en: 'Nothing to do. The history before this run is only in the kept file; delete it when nobody needs it.',
      zh: '无需处理。此前的历史只在保留的文件中；不再需要时可删除。',
    },
  },
  KX8003: {
    exit: 1,
    title: {
      en: 'the event store {file} was written by a newer kubexm: it has version {found}, this one knows {known}',
      zh: '事件库 {file} 由更新版本的 kubexm 写入：其版本为 {found}，当前只支持 {known}',
    },
    remedy: { en: 'Use the newer kubexm, or another work directory.', zh: '请使用新版本的 kubexm，或换一个工作目录。' },
  },
  KX8004: {
    exit: 1,
    title: { en: 'cannot use the event store {file}: {reason}', zh: '无法使用事件库 {file}：{reason}' },
    remedy: {
      en: 'Check that the file and its directory belong to you and that the disk is not full.',
      zh: '请确认该文件及其目录属于您，且磁盘未满。',
    },
  },
  KX8005: {
    exit: 1,
    title: {
      en: '{count} events of this run are missing from {file}: it stayed locked or slow',
      zh: '本次运行有 {count} 个事件未写入 {file}：它一直被锁定或过慢',
    },
    remedy: {
      en: 'The JSON log of the run has them all. See whether another process holds the file open.',
      zh: '本次运行的 JSON 日志中有全部事件。请检查是否有其他进程占用该文件。',
    },
  },
  KX8006: {
    exit: 1,
    title: { en: 'cannot write {file}: {reason}', zh: '无法写入 {file}：{reason}' },
    remedy: {
      en: 'Check that the directory exists and belongs to you, and that the disk is not full.',
      zh: '请确认目录存在且属于您，且磁盘未满。',
    },
  },
  KX8007: {
    exit: 1,
    title: { en: 'cannot serve metrics on {address}: {reason}', zh: '无法在 {address} 上提供指标：{reason}' },
    remedy: { en: 'Choose another address or port.', zh: '请换一个地址或端口。' },
  },
  KX8008: {
    exit: 1,
    title: { en: 'the work directory {dir} is not used: {reason}', zh: '不使用工作目录 {dir}：{reason}' },
    remedy: {
      en: 'It holds keys and decides what runs as root on the hosts, so it must be a real directory of the user that runs kubexm. Run kubexm as its owner, or start it in another directory. If you trust its content, replace a link by the directory itself, or take the directory over: chown -R.',
      zh: '工作目录保存密钥并决定在主机上以 root 执行的内容，因此必须是运行 kubexm 的用户自己的真实目录。请以其所有者身份运行，或在其他目录中启动。若信任其内容，请用目录本身替换链接，或用 chown -R 更改所有者。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
