import type { ErrorEntry } from './entry.ts';

/** KX403x, KX404x: parts of a plan that run alone, saved plans, clusters that are asked how they are or that exist already. */
export const planErrors = {
  KX4030: {
    exit: 64,
    title: { en: 'there is no task {task}', zh: '没有任务 {task}' },
    remedy: {
      en: 'Nothing was changed. The tasks, the nearest first: {tasks}',
      zh: '未做任何更改。全部任务，最接近的在前：{tasks}',
    },
  },
  KX4031: {
    exit: 64,
    title: { en: 'task {task} has nothing to do on {hosts}', zh: '任务 {task} 在 {hosts} 上无事可做' },
    remedy: {
      en: 'Nothing was changed. With this configuration it works on: {where}',
      zh: '未做任何更改。在此配置下，它作用于：{where}',
    },
  },
  KX4032: {
    exit: 1,
    title: {
      en: 'step {node} is no part of the task, but its result is needed and it is not satisfied',
      zh: '步骤 {node} 不属于该任务，但需要它的结果而它尚未满足',
    },
    remedy: {
      en: 'Run the task it belongs to first: kubexm run task {task}',
      zh: '请先运行它所属的任务：kubexm run task {task}',
    },
  },
  KX4033: {
    exit: 64,
    title: { en: '{file} is no saved plan: {reason}', zh: '{file} 不是已保存的计划：{reason}' },
    remedy: {
      en: 'Make one with: kubexm plan cluster -f config.yaml --out plan.json',
      zh: '请用 kubexm plan cluster -f config.yaml --out plan.json 生成。',
    },
  },
  KX4034: {
    exit: 3,
    title: {
      en: 'the plan {file} does not hold any more: the configuration has changed',
      zh: '计划 {file} 已不再适用：配置已更改',
    },
    remedy: {
      en: 'Nothing was changed. Look at the difference above, then plan again: kubexm plan cluster --out {file} --force',
      zh: '未做任何更改。请查看上面的差异，然后重新生成计划：kubexm plan cluster --out {file} --force',
    },
  },
  KX4035: {
    exit: 1,
    title: { en: 'the API does not answer through {host}: {reason}', zh: '无法通过 {host} 访问 API：{reason}' },
    remedy: {
      en: 'If the cluster is not created yet, create it; else look at its control plane on that host: crictl ps, journalctl -u kubelet.',
      zh: '如果集群尚未创建，请先创建；否则请在该主机上检查控制平面：crictl ps、journalctl -u kubelet。',
    },
  },
  KX4036: {
    exit: 64,
    title: { en: 'the configuration {file} has no master to ask', zh: '配置 {file} 中没有可询问的 master' },
    remedy: {
      en: 'Leave out --live, or name a master in roleGroups.',
      zh: '请去掉 --live，或在 roleGroups 中指定 master。',
    },
  },
  KX4037: {
    exit: 3,
    title: {
      en: 'the plan {file} does not hold any more: the artifacts agreed on have changed',
      zh: '计划 {file} 已不再适用：已锁定的制品已更改',
    },
    remedy: {
      en: 'Nothing was changed. Look at the difference above, then plan again: kubexm plan cluster --out {file} --force',
      zh: '未做任何更改。请查看上面的差异，然后重新生成计划：kubexm plan cluster --out {file} --force',
    },
  },
  KX4038: {
    exit: 3,
    title: {
      en: 'the plan {file} does not hold any more: the hosts are not what they were',
      zh: '计划 {file} 已不再适用：主机已发生变化',
    },
    remedy: {
      en: 'Nothing was changed. Look at the difference above, then plan again: kubexm plan cluster --out {file} --force',
      zh: '未做任何更改。请查看上面的差异，然后重新生成计划：kubexm plan cluster --out {file} --force',
    },
  },
  KX4039: {
    exit: 3,
    title: {
      en: 'the plan {file} of kubexm {version} does not hold any more: it is planned otherwise by now',
      zh: 'kubexm {version} 生成的计划 {file} 已不再适用：现在的计划不同',
    },
    remedy: {
      en: 'Nothing was changed. Look at the difference above, then plan again: kubexm plan cluster --out {file} --force',
      zh: '未做任何更改。请查看上面的差异，然后重新生成计划：kubexm plan cluster --out {file} --force',
    },
  },
  KX4040: {
    exit: 3,
    title: {
      en: 'the cluster {cluster} exists, and its configuration differs where {pipeline} cannot change it yet; fields: {count}',
      zh: '集群 {cluster} 已存在，而配置中有 {count} 个字段与之不同，{pipeline} 暂时无法更改',
    },
    remedy: {
      en: 'Nothing was changed. Put these fields back to what was applied, on the left of each arrow, in the file or with -e. To use the values on the right, delete the cluster and create it again: kubexm delete cluster, then kubexm create cluster. That also forgets machines that were reinstalled.',
      zh: '未做任何更改。请在文件中或用 -e 将这些字段恢复为箭头左侧已应用的值。如需右侧的值，请先删除集群（kubexm delete cluster），再重新创建（kubexm create cluster）。这也会忘记已重新安装的机器。',
    },
  },
  KX4041: {
    exit: 3,
    title: {
      en: '{pipeline} cannot act on {field}: {value} yet',
      zh: '{pipeline} 暂时无法处理 {field}: {value}',
    },
    remedy: {
      en: 'Write {field}: {only} into the file. What can be done yet: {allowed}. kubexm ignores nothing, be it written or a default.',
      zh: '请在文件中写入 {field}: {only}。目前支持：{allowed}。无论是写明的还是默认的，kubexm 都不会忽略。',
    },
  },
  KX4042: {
    exit: 2,
    title: { en: 'nothing is known about {hosts} yet', zh: '尚不了解 {hosts} 的情况' },
    remedy: {
      en: 'A plan needs the facts of every host. Connect to the hosts once, for example with kubexm check cluster, or pass their facts.',
      zh: '制定计划需要所有主机的信息。请先连接一次主机，例如运行 kubexm check cluster；或直接传入主机信息。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
