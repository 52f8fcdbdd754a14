import type { ErrorEntry } from './entry.ts';

/** KX7070–KX7099: the sources of the network and the disk. */
export const artifactSourceErrors = {
  KX7070: {
    exit: 5,
    title: {
      en: '{host} does not answer within {seconds} s: {reason}',
      zh: '{host} 在 {seconds} 秒内没有应答：{reason}',
    },
    remedy: {
      en: 'Check the network, HTTPS_PROXY and NO_PROXY; or set other sources in spec.artifacts.sources or KUBEXM_SOURCES.',
      zh: '请检查网络、HTTPS_PROXY 和 NO_PROXY；或在 spec.artifacts.sources 或 KUBEXM_SOURCES 中设置其他来源。',
    },
  },
  KX7071: {
    exit: 5,
    title: { en: 'the certificate of {host} is not trusted: {reason}', zh: '不信任 {host} 的证书：{reason}' },
    remedy: {
      en: 'If a private authority signed it, or a proxy that opens TLS did, name the authority’s certificate as caFile of the source in spec.artifacts.sources. If the clock of this machine is wrong, set it. To do without this source, leave it out of spec.artifacts.sources or KUBEXM_SOURCES: kubexm does not go on with another one by itself.',
      zh: '若证书由私有 CA 或解密 TLS 的代理签发，请在 spec.artifacts.sources 中用该来源的 caFile 指定 CA 证书。若本机时钟不准，请校正。若不使用该来源，请从 spec.artifacts.sources 或 KUBEXM_SOURCES 中去掉它：kubexm 不会自行改用其他来源。',
    },
  },
  KX7072: {
    exit: 5,
    title: { en: '{file} cannot be fetched from {host}: {reason}', zh: '无法从 {host} 获取 {file}：{reason}' },
    remedy: {
      en: 'The lines above give the reason for each address. Fix the problem and run again: what was downloaded so far is kept.',
      zh: '上面的各行说明了每个地址失败的原因。解决后请重新运行：已获取的部分会保留。',
    },
  },
  KX7073: {
    exit: 5,
    title: {
      en: '{file} from {host} is not what its project publishes: {got}, expected is {want}',
      zh: '来自 {host} 的 {file} 与项目发布的不符：{got}，应为 {want}',
    },
    remedy: {
      en: 'Nothing of it was kept. The source is damaged, or something between here and there changes files: use another source.',
      zh: '未保留任何内容。该来源已损坏，或途中有内容被更改：请使用其他来源。',
    },
  },
  KX7074: {
    exit: 1,
    title: { en: 'the archive {file} cannot be unpacked: {reason}', zh: '无法解压 {file}：{reason}' },
    remedy: {
      en: 'It is not the archive that the catalog describes. Choose another version, or another source.',
      zh: '它不是目录所描述的归档。请选择其他版本或其他来源。',
    },
  },
  KX7075: {
    exit: 1,
    title: { en: '{path} cannot be used as a bundle: {reason}', zh: '无法将 {path} 用作离线包：{reason}' },
    remedy: {
      en: 'Copy the bundle again from where it was made, or make a new one with this version of kubexm.',
      zh: '请从制作处重新复制离线包，或用当前版本的 kubexm 重新制作。',
    },
  },
  KX7076: {
    exit: 1,
    title: { en: '{path} does not have {items}', zh: '{path} 中没有 {items}' },
    remedy: {
      en: 'Create the bundle again from the configuration of this cluster, or add a source that has the file to spec.artifacts.sources.',
      zh: '请用该集群的配置重新制作离线包，或在 spec.artifacts.sources 中加入含有它的来源。',
    },
  },
  KX7077: {
    exit: 1,
    title: { en: '{item} in {path} is damaged: {reason}', zh: '{path} 中的 {item} 已损坏：{reason}' },
    remedy: {
      en: 'Nothing of it was kept. Copy the bundle again from where it was made.',
      zh: '未保留任何内容。请从制作处重新复制离线包。',
    },
  },
  KX7078: {
    exit: 1,
    title: {
      en: 'the bundle {path} has the sha256 {got}; the configuration says {want}',
      zh: '离线包 {path} 的 sha256 为 {got}；配置中为 {want}',
    },
    remedy: {
      en: 'It is another bundle, or it was damaged or changed in transit. Use the right bundle, or correct the digest.',
      zh: '这是另一个离线包，或在途中被损坏、更改。请使用正确的离线包，或修正摘要。',
    },
  },
  KX7079: {
    exit: 5,
    title: {
      en: 'the mirror {host} does not accept the user name or the password (status {status})',
      zh: '镜像站 {host} 不接受该用户名或密码（状态 {status}）',
    },
    remedy: {
      en: 'Check username and password of the mirror in spec.artifacts.sources, and what the user may read there.',
      zh: '请检查 spec.artifacts.sources 中镜像站的 username 和 password，以及该用户的读取权限。',
    },
  },
  KX7080: {
    exit: 5,
    title: {
      en: 'cannot get the checksum of {file} from {host}: {reason}',
      zh: '无法从 {host} 获取 {file} 的校验和：{reason}',
    },
    remedy: {
      en: 'Without the checksum the file cannot be verified, so it is not used. Fix the problem above, or use another source.',
      zh: '没有校验和就无法确认文件正确，因此不使用它。请解决上述问题，或使用其他来源。',
    },
  },
  KX7081: {
    exit: 3,
    title: { en: 'the certificates in {file} cannot be read: {reason}', zh: '无法读取 {file} 中的证书：{reason}' },
    remedy: {
      en: 'caFile must name a file with certificates in PEM on the machine kubexm runs on.',
      zh: 'caFile 应为运行 kubexm 的机器上含有 PEM 证书的文件。',
    },
  },
  KX7082: {
    exit: 5,
    title: {
      en: '{source}: nobody but this mirror vouches for some of its files or images; artifacts.lock names them',
      zh: '{source}：其部分文件或镜像仅由该镜像站自身担保；artifacts.lock 中有记录',
    },
    remedy: {
      en: 'A mirror that was tampered with would not be noticed. Look for "vouched": "mirror" or "nobody" in artifacts.lock, and compare these files with what the projects publish; or put upstream or go before the mirror in spec.artifacts.sources.',
      zh: '若镜像站被篡改，将无法发现。请在 artifacts.lock 中查找 "vouched": "mirror" 或 "nobody"，并与项目发布的内容核对；或在 spec.artifacts.sources 中将 upstream 或 go 排在镜像站之前。',
    },
  },
  KX7083: {
    exit: 5,
    title: {
      en: '{file} would come from {host} over plain HTTP, and no digest vouches for it',
      zh: '{file} 将通过明文 HTTP 从 {host} 获取，且没有可信的摘要',
    },
    remedy: {
      en: 'Anybody on the way could replace it, so it is not used. Let the mirror speak HTTPS (caFile names a private authority), use another source, or set plainHTTP: true for the mirror in spec.artifacts.sources.',
      zh: '途中任何人都可能替换它，因此不使用。请让镜像站使用 HTTPS（可用 caFile 指定私有 CA），使用其他来源，或在 spec.artifacts.sources 中为该镜像站设置 plainHTTP: true。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
