import type { ErrorEntry } from './entry.ts';

/** KX71xx: images and registries. */
export const ociErrors = {
  KX7101: {
    exit: 3,
    title: { en: '{reference} does not name an image: {reason}', zh: '{reference} 不是有效的镜像名：{reason}' },
    remedy: {
      en: 'Write it as registry/repository:tag or registry/repository@sha256:….',
      zh: '请写成 registry/repository:tag 或 registry/repository@sha256:…。',
    },
  },
  KX7102: {
    exit: 5,
    title: { en: 'registry {registry} cannot be reached: {reason}', zh: '无法连接镜像仓库 {registry}：{reason}' },
    remedy: {
      en: 'Check its name and port, that it runs, and HTTPS_PROXY and NO_PROXY. What came already is kept.',
      zh: '请检查其名称和端口、是否在运行，以及 HTTPS_PROXY 和 NO_PROXY。已传输的内容会保留。',
    },
  },
  KX7103: {
    exit: 5,
    title: {
      en: 'registry {registry} does not accept the user name or the password',
      zh: '镜像仓库 {registry} 不接受该用户名或密码',
    },
    remedy: {
      en: 'Check both where the configuration names them; a token may have been revoked.',
      zh: '请检查配置中的用户名和密码；令牌可能已被吊销。',
    },
  },
  KX7104: {
    exit: 5,
    title: {
      en: 'registry {registry} asks for a login for {repository}',
      zh: '镜像仓库 {registry} 要求登录才能访问 {repository}',
    },
    remedy: {
      en: 'Give a user name and a password for this registry, or check the name: many registries answer so when there is no such repository.',
      zh: '请为该仓库提供用户名和密码，或检查名称：许多仓库在没有该镜像库时也会这样回答。',
    },
  },
  KX7105: {
    exit: 5,
    title: {
      en: 'registry {registry} denies this user to {action} {repository}',
      zh: '镜像仓库 {registry} 不允许该用户对 {repository} 执行 {action}',
    },
    remedy: {
      en: 'Give the user that right at the registry, or use another user.',
      zh: '请在仓库中授予该用户权限，或换用其他用户。',
    },
  },
  KX7106: {
    exit: 5,
    title: {
      en: 'the certificate of {registry} is not trusted: {reason}',
      zh: '不信任 {registry} 的证书：{reason}',
    },
    remedy: {
      en: 'Give the certificate of the authority that signed it. If its names or dates are wrong, have a new one made.',
      zh: '请提供签发它的 CA 证书。如果证书的名称或日期有误，请重新签发。',
    },
  },
  KX7107: {
    exit: 1,
    title: { en: 'registry {registry} has no {what}', zh: '镜像仓库 {registry} 没有 {what}' },
    remedy: {
      en: 'Check the name and the tag, and whether it was pushed to this registry.',
      zh: '请检查名称和标签，以及是否已推送到该仓库。',
    },
  },
  KX7108: {
    exit: 1,
    title: {
      en: '{what} from {registry} is not what was asked for: {got}, wanted {want}',
      zh: '{registry} 提供的 {what} 与请求不符：{got}，应为 {want}',
    },
    remedy: {
      en: 'Nothing of it was kept. Something between here and the registry changes contents, or the registry is damaged.',
      zh: '未保留任何内容。途中有设备改变了内容，或该仓库已损坏。',
    },
  },
  KX7109: {
    exit: 1,
    title: {
      en: 'registry {registry} answers that there were too many requests',
      zh: '镜像仓库 {registry} 表示请求过多',
    },
    remedy: {
      en: 'Wait and run again, log in for a higher limit, or use a mirror. What came already is kept.',
      zh: '请稍后重试，登录以获得更高限额，或使用镜像站。已传输的内容会保留。',
    },
  },
  KX7110: {
    exit: 1,
    title: {
      en: 'registry {registry} answers {status} to {request}',
      zh: '镜像仓库 {registry} 对 {request} 返回 {status}',
    },
    remedy: {
      en: 'Check the log of the registry, fix the problem and run again: what was transferred so far is kept.',
      zh: '请查看该仓库的日志。已传输的内容会保留：修复后请重试。',
    },
  },
  KX7111: {
    exit: 1,
    title: {
      en: '{registry} does not answer as a registry does: {reason}',
      zh: '{registry} 的应答不符合镜像仓库协议：{reason}',
    },
    remedy: {
      en: 'Check that the address is that of a registry, not of a web page or a proxy before it.',
      zh: '请确认该地址是镜像仓库，而不是网页或其前面的代理。',
    },
  },
  KX7112: {
    exit: 5,
    title: {
      en: 'credentials for {registry} would go unprotected to {address}',
      zh: '{registry} 的凭据将以明文发送到 {address}',
    },
    remedy: {
      en: 'The registry uses https but sends logins elsewhere by http. Correct its configuration; they were not sent.',
      zh: '该仓库使用 https，却把登录转到 http 地址。请修正其配置；凭据未发送。',
    },
  },
  KX7113: {
    exit: 5,
    title: {
      en: 'registry {registry} does not accept the token that it asked for: {reason}',
      zh: '镜像仓库 {registry} 不接受它所要求的令牌：{reason}',
    },
    remedy: {
      en: 'The registry and its token server disagree: compare their clocks, keys and service names.',
      zh: '镜像仓库与其令牌服务器不一致：请比较两者的时钟、密钥和服务名。',
    },
  },
  KX7120: {
    exit: 1,
    title: { en: 'the blob {digest} is not in the store {store}', zh: '存储 {store} 中没有 {digest}' },
    remedy: { en: 'Fetch or build the image again.', zh: '请重新获取或构建该镜像。' },
  },
  KX7121: {
    exit: 1,
    title: {
      en: 'the blob {digest} in the store {store} was damaged and has been removed',
      zh: '存储 {store} 中的 {digest} 已损坏，已被移除',
    },
    remedy: {
      en: 'Run again: it is downloaded or built again. If this happens often, check the disk.',
      zh: '请重试：会重新获取或构建。如经常发生，请检查磁盘。',
    },
  },
  KX7122: {
    exit: 1,
    title: { en: '{path} cannot be written: {reason}', zh: '无法写入 {path}：{reason}' },
    remedy: {
      en: 'Check that its directory is writable and that the disk has space.',
      zh: '请确认其目录可写且磁盘有空间。',
    },
  },
  KX7123: {
    exit: 1,
    title: { en: '{path} cannot be part of an image: {reason}', zh: '{path} 不能成为镜像的一部分：{reason}' },
    remedy: {
      en: 'Images are made of files, directories and symbolic links, each once, that do not change while they are read.',
      zh: '镜像由文件、目录和符号链接组成，每个路径一次，且读取时不得变化。',
    },
  },
  KX7124: {
    exit: 1,
    title: {
      en: 'there is no {platform} in {what}; there is: {found}',
      zh: '{what} 中没有 {platform}；现有：{found}',
    },
    remedy: {
      en: 'Use an image or a version that is made for this kind of machine.',
      zh: '请使用为该类机器制作的镜像或版本。',
    },
  },
  KX7125: {
    exit: 1,
    title: { en: '{what} is no image that kubexm can read: {reason}', zh: '{what} 不是 kubexm 能读取的镜像：{reason}' },
    remedy: {
      en: 'OCI images and Docker images of schema 2 can be read; push or save it again with a current tool.',
      zh: '可读取 OCI 镜像和 Docker schema 2 镜像；请用较新的工具重新推送或保存。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
