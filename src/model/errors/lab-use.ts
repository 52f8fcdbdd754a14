import type { ErrorEntry } from './entry.ts';

/** KX66xx: working with a lab: what changed on its machines, its commands. */
export const labUseErrors = {
  KX6601: {
    exit: 1,
    title: { en: 'machine {machine} has no baseline to compare with', zh: '机器 {machine} 没有可供比较的基线' },
    remedy: {
      en: 'It is taken after the first boot; making the lab was perhaps interrupted. Make it again: kubexm lab delete {lab}, kubexm lab create {lab}',
      zh: '基线在首次启动后记录；创建实验环境时可能被中断。请重新创建：kubexm lab delete {lab}，kubexm lab create {lab}',
    },
  },
  KX6602: {
    exit: 1,
    title: { en: 'the baseline {file} cannot be read: {reason}', zh: '无法读取基线 {file}：{reason}' },
    remedy: {
      en: 'Another version of kubexm may have written it, or the disk was full. Delete the lab and make it again.',
      zh: '它可能由其他版本的 kubexm 写入，或磁盘曾写满。请删除实验环境后重新创建。',
    },
  },
  KX6603: {
    exit: 1,
    title: {
      en: 'the list of what may remain, {file}, is not valid: {reason}',
      zh: '允许残留列表 {file} 无效：{reason}',
    },
    remedy: {
      en: 'Every line needs a section, a pattern and a reason. Install kubexm again if you did not change it.',
      zh: '每一项都需要 section、match 和 reason。若未修改过该文件，请重新安装 kubexm。',
    },
  },
  KX6610: {
    exit: 4,
    title: { en: '{tool} is not installed on this machine', zh: '本机未安装 {tool}' },
    remedy: {
      en: 'Install the package {package}, for example: apt-get install {package}',
      zh: '请安装软件包 {package}，例如：apt-get install {package}',
    },
  },
  KX6611: {
    exit: 1,
    title: { en: '{what} could not be looked at: {reason}', zh: '无法查看 {what}：{reason}' },
    remedy: {
      en: 'Check with kubexm lab list that the machine runs, and try again.',
      zh: '请用 kubexm lab list 确认机器正在运行，然后重试。',
    },
  },
  KX6620: {
    exit: 130,
    title: { en: 'interrupted while working on lab {lab}', zh: '处理实验环境 {lab} 时被中断' },
    remedy: {
      en: 'See what there is with kubexm lab list; try again, or remove it: kubexm lab delete {lab}',
      zh: '用 kubexm lab list 查看现状；可以重试，或将其删除：kubexm lab delete {lab}',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
