import type { ErrorEntry } from './entry.ts';

/** KX1xxx: the command line and files of kubexm itself. */
export const usageErrors = {
  KX1001: {
    exit: 64,
    title: { en: 'there is no command {command}', zh: '没有命令 {command}' },
    remedy: { en: '{hint}See the commands with: {help}', zh: '{hint}用 {help} 查看全部命令。' },
  },
  KX1002: {
    exit: 64,
    title: { en: '{command} has no option {option}', zh: '{command} 没有选项 {option}' },
    remedy: { en: '{hint}See the options with: {help}', zh: '{hint}用 {help} 查看全部选项。' },
  },
  KX1003: {
    exit: 64,
    title: { en: '{command} needs {argument}', zh: '{command} 缺少参数 {argument}' },
    remedy: { en: 'Examples are in: {help}', zh: '用 {help} 查看示例。' },
  },
  KX1004: {
    exit: 64,
    title: { en: '{command} takes fewer arguments: {extra} is too much', zh: '{command} 的参数过多：{extra}' },
    remedy: {
      en: 'Put a value with spaces in quotes. Examples are in: {help}',
      zh: '含空格的值请加引号。用 {help} 查看示例。',
    },
  },
  KX1005: {
    exit: 64,
    title: { en: 'the option {option} needs a value', zh: '选项 {option} 缺少值' },
    remedy: { en: 'Examples are in: {help}', zh: '用 {help} 查看示例。' },
  },
  KX1006: {
    exit: 64,
    title: { en: 'invalid value {value} for {option}', zh: '{option} 的值 {value} 无效' },
    remedy: { en: '{hint}Allowed: {allowed}', zh: '{hint}允许的值：{allowed}' },
  },
  KX1007: {
    exit: 64,
    title: { en: '{command} needs the option {option}', zh: '{command} 缺少选项 {option}' },
    remedy: { en: 'Examples are in: {help}', zh: '用 {help} 查看示例。' },
  },
  KX1008: {
    exit: 64,
    title: { en: '{first} and {second} exclude each other', zh: '{first} 与 {second} 不能同时使用' },
    remedy: { en: 'Give only one of the two.', zh: '请只使用其中一个。' },
  },
  KX1009: {
    exit: 64,
    title: { en: 'there is no command to run on the hosts', zh: '没有要在主机上运行的命令' },
    remedy: {
      en: 'Put it behind two dashes: kubexm run command --nodes all -- uptime',
      zh: '请写在两个短横线之后：kubexm run command --nodes all -- uptime',
    },
  },
  KX1020: {
    exit: 64,
    title: { en: 'no cluster is named', zh: '没有指定集群' },
    remedy: {
      en: 'Give its file with -f config.yaml, or choose a known one: kubexm config use-context NAME',
      zh: '用 -f config.yaml 指定配置文件，或选择一个已知集群：kubexm config use-context NAME',
    },
  },
  KX1021: {
    exit: 64,
    title: { en: 'no cluster is known as {name}', zh: '未知的集群 {name}' },
    remedy: { en: '{hint}Known here: {names}', zh: '{hint}已知的集群：{names}' },
  },
  KX1022: {
    exit: 64,
    title: { en: 'no run is known as {run}', zh: '未知的运行 {run}' },
    remedy: { en: '{hint}List the runs with: kubexm get runs', zh: '{hint}用 kubexm get runs 查看运行记录。' },
  },
  KX1023: {
    exit: 64,
    title: { en: '{run} could be {count} runs: {runs}', zh: '{run} 对应 {count} 个运行：{runs}' },
    remedy: { en: 'Give more of its name.', zh: '请给出更长的名称。' },
  },
  KX1024: {
    exit: 64,
    title: { en: 'there is no error code {code}', zh: '没有错误代码 {code}' },
    remedy: { en: '{hint}List all of them with: kubexm explain', zh: '{hint}用 kubexm explain 列出全部代码。' },
  },
  KX1030: {
    exit: 64,
    title: { en: '{file} exists already', zh: '{file} 已存在' },
    remedy: { en: 'Choose another name, or replace it with --force.', zh: '请换一个文件名，或用 --force 覆盖。' },
  },
  KX1031: {
    exit: 1,
    title: { en: 'cannot write {file}: {reason}', zh: '无法写入 {file}：{reason}' },
    remedy: {
      en: 'Check that the directory exists and belongs to you, and that the disk is not full.',
      zh: '请确认目录存在且属于您，且磁盘未满。',
    },
  },
  KX1032: {
    exit: 1,
    title: { en: '{count} reference pages are stale: {files}', zh: '{count} 个参考文档已过期：{files}' },
    remedy: { en: 'Refresh them with: {command}', zh: '请运行 {command} 刷新。' },
  },
  KX1040: {
    exit: 64,
    title: { en: 'a question cannot be asked here: {question}', zh: '此处无法提问：{question}' },
    remedy: {
      en: 'Run it in a terminal and without --no-input. Where yes is enough, pass --yes.',
      zh: '请在终端中运行且不使用 --no-input。只需确认时可使用 --yes。',
    },
  },
  KX1041: {
    exit: 130,
    title: { en: 'not confirmed: {question}', zh: '未确认：{question}' },
    remedy: { en: 'Nothing was done.', zh: '未执行任何操作。' },
  },
  KX1042: {
    exit: 64,
    title: { en: '{given} is not the name of the cluster, {cluster}', zh: '{given} 不是集群名称 {cluster}' },
    remedy: {
      en: 'Nothing was done. Type the name exactly, or pass --yes.',
      zh: '未执行任何操作。请准确输入名称，或使用 --yes。',
    },
  },
  KX1099: {
    exit: 1,
    title: { en: 'internal error: {reason}', zh: '内部错误：{reason}' },
    remedy: {
      en: 'This is a defect in kubexm. Run it again with --debug and report what it prints{log}.',
      zh: '这是 kubexm 的缺陷。请加 --debug 再次运行，并报告其输出{log}。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
