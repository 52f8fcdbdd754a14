import type { ErrorEntry } from './entry.ts';

/** KX52xx: what concerns a machine as a whole. */
export const machineErrors = {
  KX5201: {
    exit: 1,
    title: { en: 'host {host} cannot be restarted: {reason}', zh: '无法重启主机 {host}：{reason}' },
    remedy: {
      en: 'Restart it by hand, then run again with --resume: a restart that has happened is not repeated.',
      zh: '请手动重启该主机，然后加 --resume 再次运行：已完成的重启不会重复。',
    },
  },
  KX5202: {
    exit: 1,
    title: {
      en: 'host {host} has not restarted within {seconds} s',
      zh: '主机 {host} 未在 {seconds} 秒内完成重启',
    },
    remedy: {
      en: 'Look at its console. When it is back, run again with --resume: a restart that has happened is not repeated.',
      zh: '请查看其控制台。恢复后加 --resume 再次运行：已完成的重启不会重复。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
