import type { ErrorEntry } from './entry.ts';

/** KX51xx: CAs, certificates and keys that cannot be used. */
export const pkiErrors = {
  KX5101: {
    exit: 1,
    title: { en: 'no {what} can be read from {path}', zh: '无法从 {path} 读取 {what}' },
    remedy: {
      en: 'The file must exist, be readable and be PEM. A private key must not be encrypted: decrypt a copy with openssl pkey -in KEY -out COPY, and keep the copy with mode 0600. Restore a damaged file from a backup: kubexm does not replace it.',
      zh: '该文件必须存在、可读且为 PEM 格式。私钥不能加密：请用 openssl pkey -in KEY -out COPY 解密一份副本，并将权限设为 0600。损坏的文件请从备份恢复：kubexm 不会替换它。',
    },
  },
  KX5102: {
    exit: 1,
    title: {
      en: '{key} is missing or damaged, but {path} was made with it',
      zh: '{key} 缺失或已损坏，而 {path} 是用它生成的',
    },
    remedy: {
      en: 'kubexm never replaces this key by itself, because everything that trusts it would stop working. Restore {key} from a backup of the work directory. If no cluster uses it yet, remove {path} too: both are then made again.',
      zh: 'kubexm 不会自行更换此密钥，否则信任它的一切都会失效。请从工作目录的备份恢复 {key}。如果还没有集群使用它，也请删除 {path}：两者会重新生成。',
    },
  },
  KX5103: {
    exit: 1,
    title: { en: '{path} holds a certificate that is not a CA', zh: '{path} 中的证书不是 CA 证书' },
    remedy: {
      en: 'A CA certificate has the constraint CA:TRUE and may sign certificates; so must all certificates above it. Look at it with: openssl x509 -in {path} -noout -text. The CA comes first in the file, then the one that signed it, up to the root.',
      zh: 'CA 证书必须带有 CA:TRUE 约束并可签发证书，其上级证书也是如此。查看：openssl x509 -in {path} -noout -text。文件中先写该 CA，再写签发它的证书，直到根证书。',
    },
  },
  KX5104: {
    exit: 1,
    title: { en: 'the key {key} does not belong to the CA {path}', zh: '密钥 {key} 与 CA {path} 不匹配' },
    remedy: {
      en: 'Use the key that the first certificate of {path} was made with. If one of the two files was replaced, restore it from a backup.',
      zh: '请使用与 {path} 中第一张证书对应的密钥。如果其中一个文件被替换过，请从备份恢复。',
    },
  },
  KX5105: {
    exit: 1,
    title: {
      en: 'the CA {path} is not valid now: it is valid from {from} to {to}',
      zh: 'CA {path} 当前无效：有效期为 {from} 至 {to}',
    },
    remedy: {
      en: 'Check the clock of this machine first. A CA that has expired is never replaced by itself, because every certificate that it signed would stop working: bring a new CA, and give it to all hosts before their certificates are renewed.',
      zh: '请先检查本机时钟。过期的 CA 不会自动更换，否则它签发的所有证书都会失效：请准备新的 CA，并在更新证书之前分发到所有主机。',
    },
  },
  KX5106: {
    exit: 1,
    title: { en: 'the chain in {path} is broken', zh: '{path} 中的证书链不完整' },
    remedy: {
      en: 'Each certificate in the file must be signed by the one that follows it: the CA itself first, then the one above it, up to the root.',
      zh: '文件中的每张证书必须由其后的一张签发：先是 CA 本身，再是它的上级，直到根证书。',
    },
  },
  KX5107: {
    exit: 1,
    title: { en: 'the cluster already has another CA than {path}: {kept}', zh: '集群已有的 CA 与 {path} 不同：{kept}' },
    remedy: {
      en: 'A CA is never replaced by itself, because every certificate that it signed would stop working. Take the CA out of the cluster file to go on with the one the cluster has. If no cluster uses it yet, remove its directory: the CA of the cluster file is then taken.',
      zh: 'CA 不会自动更换，否则它签发的所有证书都会失效。请从集群文件中去掉该 CA，继续使用集群现有的 CA。如果还没有集群使用现有的 CA，请删除其目录，之后会使用集群文件中的 CA。',
    },
  },
  KX5108: {
    exit: 1,
    title: {
      en: 'the key {key} is {kind}, which Kubernetes does not accept for a CA',
      zh: '密钥 {key} 为 {kind}，Kubernetes 不接受其作为 CA 密钥',
    },
    remedy: {
      en: 'Use a CA whose key is RSA with at least 2048 bits, or ECDSA on P-256, P-384 or P-521.',
      zh: '请使用密钥为至少 2048 位 RSA，或 P-256、P-384、P-521 曲线 ECDSA 的 CA。',
    },
  },
  KX5109: {
    exit: 1,
    title: { en: '{path} was changed while kubexm was using it', zh: 'kubexm 使用 {path} 期间该文件被修改' },
    remedy: {
      en: 'Find out who changed it, and run again: the file is then looked at as it is.',
      zh: '请查明是谁修改了它，然后再次运行：届时会按文件的现状检查。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
