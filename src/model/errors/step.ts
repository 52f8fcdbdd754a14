import type { ErrorEntry } from './entry.ts';

/** KX5xxx: what steps themselves find out while they work. */
export const stepErrors = {
  KX5001: {
    exit: 1,
    title: { en: 'no source delivered {file}', zh: '没有任何来源能提供 {file}' },
    remedy: {
      en: 'The lines above say why, for each address. Check the network, the proxy (HTTPS_PROXY, NO_PROXY) and the mirrors, then run again with --resume: what came so far is kept.',
      zh: '上面的各行说明了每个地址失败的原因。请检查网络、代理（HTTPS_PROXY、NO_PROXY）和镜像，然后加 --resume 再次运行：已下载的部分会保留。',
    },
  },
  KX5002: {
    exit: 1,
    title: { en: '{path} on {host} cannot be edited: {reason}', zh: '无法编辑主机 {host} 上的 {path}：{reason}' },
    remedy: {
      en: 'Check the file on that host, correct it, then run again with --resume.',
      zh: '请检查该主机上的文件，修复后加 --resume 再次运行。',
    },
  },
  KX5003: {
    exit: 1,
    title: { en: 'the image {image} cannot be imported: {reason}', zh: '无法导入镜像 {image}：{reason}' },
    remedy: {
      en: 'Does the container runtime of the host run, and is there room on its disk?',
      zh: '请检查主机的容器运行时是否在运行、磁盘是否有空间。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
