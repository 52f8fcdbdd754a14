import type { ErrorEntry } from './entry.ts';

/** KX7050–KX7069: images that kubexm makes itself, and the packages of Debian that go into them. */
export const artifactImageErrors = {
  KX7050: {
    exit: 1,
    title: {
      en: 'the image {image} cannot be made: the program {program} is not there',
      zh: '无法制作镜像 {image}：缺少程序 {program}',
    },
    remedy: {
      en: 'What the image is made of stands under made in data/catalog; every program there needs a recipe under builds.',
      zh: '镜像的组成见 data/catalog 中的 made；其中每个程序都需要 builds 中的构建方法。',
    },
  },
  KX7051: {
    exit: 1,
    title: {
      en: 'packages of Debian cannot be fetched on this machine: {missing} is missing',
      zh: '本机无法获取 Debian 软件包：缺少 {missing}',
    },
    remedy: {
      en: 'Run kubexm on Debian or Ubuntu, or use a source that has the finished image: upstream, a mirror or a bundle.',
      zh: '请在 Debian 或 Ubuntu 上运行 kubexm，或使用已有该镜像的来源：upstream、镜像站或离线包。',
    },
  },
  KX7052: {
    exit: 5,
    title: {
      en: 'the apt sources of this machine have no package {packages} for {arch}',
      zh: '本机的 apt 源没有 {arch} 的软件包 {packages}',
    },
    remedy: {
      en: 'Add a source that has it to /etc/apt, for this processor too, or use a source of artifacts that has the finished image.',
      zh: '请在 /etc/apt 中加入含有该软件包（包括该处理器架构）的源，或使用已有该镜像的来源。',
    },
  },
  KX7053: {
    exit: 5,
    title: { en: 'apt could not get packages for {arch}: {reason}', zh: 'apt 无法获取 {arch} 的软件包：{reason}' },
    remedy: {
      en: 'See that `apt-get update` works on this machine; http_proxy and https_proxy are honoured. What came already is kept.',
      zh: '请确认本机的 `apt-get update` 可用；会使用 http_proxy 和 https_proxy。已下载的内容会保留。',
    },
  },
  KX7054: {
    exit: 1,
    title: { en: 'the package {package} is not right: {reason}', zh: '软件包 {package} 有问题：{reason}' },
    remedy: {
      en: 'It was removed from the cache; try again. If it comes back like this, the mirror is damaged.',
      zh: '已从缓存中删除，请重试。若仍然如此，则镜像站的内容已损坏。',
    },
  },
  KX7055: {
    exit: 1,
    title: {
      en: '{file} in the packages {packages} needs {library}, which none of them brings',
      zh: '软件包 {packages} 中的 {file} 需要 {library}，但没有软件包提供它',
    },
    remedy: {
      en: 'Add the package that has it to debian under made in data/catalog.',
      zh: '请把提供它的软件包加入 data/catalog 中 made 的 debian。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
