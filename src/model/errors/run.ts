import type { ErrorEntry } from './entry.ts';

/** KX4xxx: planning and running. */
export const runErrors = {
  KX4001: {
    exit: 1,
    title: { en: 'the plan is not valid: {detail}', zh: '执行计划无效：{detail}' },
    remedy: {
      en: 'This is a defect in kubexm or in a plugin. Report it with the plan: kubexm plan … -o json.',
      zh: '这是 kubexm 或插件的缺陷。请附上计划（kubexm plan … -o json）报告。',
    },
  },
  KX4002: {
    exit: 1,
    title: { en: 'step {node} failed: {reason}', zh: '步骤 {node} 失败：{reason}' },
    remedy: {
      en: 'Read the last lines of the command above, fix the cause on that host, then run again, with --resume if the command supports it.',
      zh: '查看上面命令的最后几行输出，在该主机上修复原因，然后再次运行；支持 --resume 的命令请加上它。',
    },
  },
  KX4003: {
    exit: 1,
    title: {
      en: 'step {node} was applied, but its check still says: {reason}',
      zh: '步骤 {node} 已执行，但检查仍显示：{reason}',
    },
    remedy: {
      en: 'Something undid the change at once, or a service started and died. Look at the host, then run again with --resume.',
      zh: '有其他程序立即撤销了该更改，或服务启动后退出。请检查主机，然后加 --resume 再次运行。',
    },
  },
  KX4004: {
    exit: 1,
    title: { en: 'step {node} took longer than {seconds} s', zh: '步骤 {node} 超过 {seconds} 秒' },
    remedy: {
      en: 'The command was stopped. If the host is only slow, run again, with more time where the command takes --timeout.',
      zh: '命令已被停止。如果只是主机较慢，请再次运行；支持 --timeout 的命令可以给更多时间。',
    },
  },
  KX4005: {
    exit: 1,
    title: { en: 'rolling back {node} failed: {reason}', zh: '回滚 {node} 失败：{reason}' },
    remedy: {
      en: 'The host is left partly changed (dirty). The journal shows the state before the change; fix the host by hand, then run again with --resume.',
      zh: '主机处于半更改（dirty）状态。日志记录了更改前的内容；请手动修复后加 --resume 再次运行。',
    },
  },
  KX4006: {
    exit: 64,
    title: { en: 'nothing to resume: {detail}', zh: '没有可恢复的运行：{detail}' },
    remedy: {
      en: 'Run without --resume to start over, or list the runs with: kubexm get runs',
      zh: '去掉 --resume 重新开始，或用 kubexm get runs 查看运行记录。',
    },
  },
  KX4007: {
    exit: 3,
    title: { en: 'run {run} cannot be resumed: {detail}', zh: '运行 {run} 无法恢复：{detail}' },
    remedy: {
      en: 'Bring the file back to what it was, or start a new run without --resume: it checks every step and changes only what differs.',
      zh: '将文件恢复原样，或去掉 --resume 开始新的运行：它会检查每个步骤，只更改有差异的部分。',
    },
  },
  KX4008: {
    exit: 1,
    title: {
      en: 'step {node} is outside --tags, but its result is needed and it is not satisfied',
      zh: '步骤 {node} 不在 --tags 范围内，但需要它的结果而它尚未满足',
    },
    remedy: {
      en: 'Add its tag ({tags}) to --tags, or run without --tags.',
      zh: '将其标签（{tags}）加入 --tags，或不使用 --tags 运行。',
    },
  },
  KX4009: {
    exit: 130,
    title: { en: 'interrupted', zh: '已中断' },
    remedy: {
      en: 'Run it again, with --resume where a run had begun and the command takes it.',
      zh: '请再次运行；如果运行已经开始且该命令支持 --resume，加上它即可继续。',
    },
  },
  KX4010: {
    exit: 3,
    title: {
      en: '{pipeline} cannot act on {field} yet',
      zh: '{pipeline} 暂时无法处理 {field}',
    },
    remedy: {
      en: 'Remove the field from the file. kubexm never ignores what you ask for.',
      zh: '请从文件中删除该字段。kubexm 不会忽略您的要求。',
    },
  },
  KX4011: {
    exit: 7,
    title: { en: 'host {host} was lost: {reason}', zh: '与主机 {host} 失去联系：{reason}' },
    remedy: {
      en: 'Nothing on it was reverted; its steps are unknown. When it is back, run again, with --resume where the command takes it.',
      zh: '该主机上没有回滚任何内容；其步骤状态未知。恢复后请再次运行；支持 --resume 的命令请加上它。',
    },
  },
  KX4012: {
    exit: 1,
    title: { en: 'the journal {file} is damaged: {detail}', zh: '运行日志 {file} 已损坏：{detail}' },
    remedy: {
      en: 'Start a new run without --resume: it checks every step and changes only what differs.',
      zh: '去掉 --resume 开始新的运行：它会检查每个步骤，只更改有差异的部分。',
    },
  },
  KX4013: {
    exit: 130,
    title: { en: 'declined: {question}', zh: '已拒绝：{question}' },
    remedy: {
      en: 'Nothing more was done. Answer yes, or pass --yes.',
      zh: '未再执行任何操作。请回答 yes，或使用 --yes。',
    },
  },
  KX4014: {
    exit: 1,
    title: {
      en: 'step {node} is half done and cannot be undone: {reason}',
      zh: '步骤 {node} 只完成了一半且无法撤销：{reason}',
    },
    remedy: {
      en: 'Undo it by hand on that host, then run again with --resume.',
      zh: '请在该主机上手动撤销，然后加 --resume 再次运行。',
    },
  },
  KX4015: {
    exit: 1,
    title: { en: 'the journal {file} cannot be written: {reason}', zh: '无法写入运行日志 {file}：{reason}' },
    remedy: {
      en: 'Nothing more was started and nothing was rolled back. Look at the space and permissions there, then run again with --resume.',
      zh: '未再启动任何步骤，也未回滚。请检查该处的空间和权限，然后加 --resume 再次运行。',
    },
  },
  KX4020: {
    exit: 6,
    title: {
      en: 'this cluster is being worked on: run {run} ({pipeline}) of {user}@{machine}, pid {pid}, since {since}',
      zh: '该集群正在被操作：{user}@{machine} 的运行 {run}（{pipeline}），pid {pid}，开始于 {since}',
    },
    remedy: {
      en: 'Wait until it has ended, or stop that process; the lock is gone the moment it ends.',
      zh: '请等待其结束，或停止该进程；进程结束时锁即释放。',
    },
  },
  KX4021: {
    exit: 64,
    title: { en: 'the list of clusters {file} cannot be read: {reason}', zh: '无法读取集群列表 {file}：{reason}' },
    remedy: {
      en: 'Fix the file, or move it away: kubexm creates a new one.',
      zh: '请修复该文件，或将其移走：会重新生成。',
    },
  },
  KX4022: {
    exit: 64,
    title: { en: 'no cluster is known as {name}', zh: '未知的集群 {name}' },
    remedy: { en: 'Known here: {names}', zh: '已知的集群：{names}' },
  },
  KX4023: {
    exit: 64,
    title: { en: 'no host matches {pattern}', zh: '没有匹配 {pattern} 的主机' },
    remedy: {
      en: 'Use a name, a glob such as node*, a range such as node[1:3], or a role such as master. Hosts: {names}',
      zh: '请使用主机名、node* 这样的通配符、node[1:3] 这样的范围，或 master 这样的角色。主机：{names}',
    },
  },
  KX4024: {
    exit: 5,
    title: { en: '{count} of {total} hosts cannot be used', zh: '{total} 台主机中有 {count} 台无法使用' },
    remedy: {
      en: 'Nothing was changed. Fix the access to the hosts above, then run again.',
      zh: '未做任何更改。请修复上述主机的访问问题后再次运行。',
    },
  },
  KX4026: {
    exit: 7,
    title: { en: 'the connection to {host} was cut: {reason}', zh: '与 {host} 的连接中断：{reason}' },
    remedy: { en: 'kubexm connects again by itself.', zh: 'kubexm 会自动重新连接。' },
  },
  KX4027: {
    exit: 1,
    title: {
      en: 'the lock of this cluster, {file}, cannot be used: {reason}',
      zh: '无法使用该集群的锁 {file}：{reason}',
    },
    remedy: {
      en: 'No holder was found. Check the free space and the permissions there. If the file is damaged and no other kubexm works on this cluster, remove it: kubexm creates a new one.',
      zh: '并未发现有人持有该锁。请检查该处的空间和权限。如果文件已损坏，且没有其他 kubexm 正在操作该集群，请将其删除：会重新生成。',
    },
  },
  KX4029: {
    exit: 6,
    title: {
      en: 'host {host} still works on job {job} ({age} s) of run {run}, which is gone',
      zh: '主机 {host} 仍在执行运行 {run} 的任务 {job}（{age} 秒），而该运行已不存在',
    },
    remedy: {
      en: 'Wait until the job ends, or go on with its run: the command that began it, with --resume {run}. kubexm get runs tells which that was.',
      zh: '请等待任务结束，或继续该运行：使用当初启动它的命令并加上 --resume {run}。可用 kubexm get runs 查看是哪条命令。',
    },
  },
  KX4028: {
    exit: 64,
    title: { en: 'no step has the tag {tag}', zh: '没有步骤带有标签 {tag}' },
    remedy: {
      en: 'Nothing was changed. The tags of this plan, the nearest first: {tags}',
      zh: '未做任何更改。此计划的标签，最接近的在前：{tags}',
    },
  },
  KX4025: {
    exit: 3,
    title: { en: 'the configuration {file} has {count} errors', zh: '配置文件 {file} 有 {count} 个错误' },
    remedy: {
      en: 'Fix them and check again with: kubexm validate config -f {file}',
      zh: '修复后用 kubexm validate config -f {file} 再次检查。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
