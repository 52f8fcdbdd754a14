import type { ErrorEntry } from './entry.ts';

/** KX303x–KX305x: working on hosts; KX31xx: locks on them. Part of connectionErrors. */
export const hostErrors = {
  KX3030: {
    exit: 1,
    title: {
      en: 'a command on {host} took longer than {seconds} s and was stopped',
      zh: '主机 {host} 上的命令超过 {seconds} 秒，已被停止',
    },
    remedy: {
      en: 'If the host is only slow, run again with --resume.',
      zh: '如果只是主机较慢，请加 --resume 再次运行。',
    },
  },
  KX3031: {
    exit: 1,
    title: { en: 'a command on {host} broke its shell: {reason}', zh: '主机 {host} 上的命令使其 shell 中断：{reason}' },
    remedy: {
      en: 'It was killed from outside (memory?) or killed its own shell, or there is no space for its output. Look at the host.',
      zh: '命令被外部终止（内存不足？）、终止了自己的 shell，或没有空间存放其输出。请检查该主机。',
    },
  },
  KX3032: {
    exit: 1,
    title: { en: '{path} on {host} cannot be written: {reason}', zh: '无法写入主机 {host} 上的 {path}：{reason}' },
    remedy: {
      en: 'Check that its directory exists there, and that the disk is neither full nor read-only.',
      zh: '请确认其目录存在，磁盘未满且不是只读。',
    },
  },
  KX3033: {
    exit: 1,
    title: {
      en: '{path} arrived damaged on {host}: sha256 {got}, wanted {want}',
      zh: '{path} 传到 {host} 后已损坏：sha256 {got}，应为 {want}',
    },
    remedy: {
      en: 'The file here may not be the one that was meant, or a disk or network is faulty. Nothing was replaced.',
      zh: '本地文件可能不是预期的文件，或磁盘、网络有故障。未替换任何文件。',
    },
  },
  KX3034: {
    exit: 1,
    title: { en: 'the local file {path} cannot be used: {reason}', zh: '无法使用本地文件 {path}：{reason}' },
    remedy: { en: 'Check that it exists and that you may access it.', zh: '请确认文件存在且可访问。' },
  },
  KX3035: {
    exit: 1,
    title: { en: '{path} on {host} cannot be read: {reason}', zh: '无法读取主机 {host} 上的 {path}：{reason}' },
    remedy: { en: 'Check that the file exists there.', zh: '请确认该主机上存在该文件。' },
  },
  KX3036: {
    exit: 1,
    title: {
      en: 'the transfer of {path} stalled: nothing moved between this machine and {host} for {seconds} s',
      zh: '{path} 的传输停滞：{seconds} 秒内本机与主机 {host} 之间没有任何数据',
    },
    remedy: {
      en: "Check the host's disk and the network between here and there, then run again with --resume: an upload goes on where it stopped.",
      zh: '请检查该主机的磁盘以及到该主机的网络，然后加 --resume 再次运行：上传会从中断处继续。',
    },
  },
  KX3037: {
    exit: 1,
    title: {
      en: '{path} on {host} is too big to fetch: {size} bytes, at most {most} are accepted',
      zh: '主机 {host} 上的 {path} 过大，无法取回：{size} 字节，最多接受 {most} 字节',
    },
    remedy: {
      en: 'Check on the host whether the file is what it should be.',
      zh: '请在该主机上检查该文件是否正确。',
    },
  },
  KX3040: {
    exit: 1,
    title: {
      en: 'job {key} on {host} ended without a result: {reason}',
      zh: '主机 {host} 上的任务 {key} 结束但没有结果：{reason}',
    },
    remedy: {
      en: 'It was killed, or the machine was restarted. Run again with --resume: kubexm checks how far it came.',
      zh: '任务被终止，或机器已重启。请加 --resume 再次运行：kubexm 会检查其进度。',
    },
  },
  KX3041: {
    exit: 1,
    title: {
      en: 'job {key} on {host} took longer than {seconds} s and was stopped',
      zh: '主机 {host} 上的任务 {key} 超过 {seconds} 秒，已被停止',
    },
    remedy: {
      en: 'If the host is only slow, run again with --resume.',
      zh: '如果只是主机较慢，请加 --resume 再次运行。',
    },
  },
  KX3042: {
    exit: 1,
    title: {
      en: 'job {key} could not be started on {host}: {reason}',
      zh: '无法在主机 {host} 上启动任务 {key}：{reason}',
    },
    remedy: {
      en: 'Check that /run on the machine is writable and has space.',
      zh: '请确认该机器的 /run 可写且有空间。',
    },
  },
  KX3043: {
    exit: 1,
    title: { en: 'job {key} on {host} still runs', zh: '主机 {host} 上的任务 {key} 仍在执行' },
    remedy: { en: 'Wait until it ends.', zh: '请等待其结束。' },
  },
  KX3050: {
    exit: 5,
    title: { en: 'host {host} did not tell what it is: {reason}', zh: '无法获取主机 {host} 的信息：{reason}' },
    remedy: {
      en: 'kubexm needs Linux with /proc mounted and the usual base tools.',
      zh: 'kubexm 需要挂载了 /proc 并具有基本工具的 Linux。',
    },
  },
  KX3101: {
    exit: 6,
    title: {
      en: 'host {host} is in use: run {run} ({pipeline}) by {user} on {machine} since {since}',
      zh: '主机 {host} 正被使用：运行 {run}（{pipeline}），用户 {user}，机器 {machine}，开始于 {since}',
    },
    remedy: {
      en: 'Wait until it ends. If you are sure that it is gone: kubexm unlock',
      zh: '请等待其结束。如确认该运行已不存在：kubexm unlock',
    },
  },
  KX3102: {
    exit: 6,
    title: {
      en: 'host {host} still works on job {job} ({age} s) of run {run} by {user} on {machine}',
      zh: '主机 {host} 仍在执行任务 {job}（{age} 秒），属于 {user} 在 {machine} 上的运行 {run}',
    },
    remedy: {
      en: 'Its run is gone, its job lives. Go on with that run (--resume), or wait until the job ends.',
      zh: '该运行已不存在，但任务仍在执行。请用 --resume 继续该运行，或等待任务结束。',
    },
  },
  KX3103: {
    exit: 6,
    title: {
      en: 'the lock on host {host} was taken over by {by}',
      zh: '主机 {host} 上的锁已被 {by} 接管',
    },
    remedy: {
      en: 'This run was silent for too long, or somebody used kubexm unlock. Wait for the other run, then use --resume.',
      zh: '本次运行静默时间过长，或有人执行了 kubexm unlock。请等待另一运行结束，然后使用 --resume。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
