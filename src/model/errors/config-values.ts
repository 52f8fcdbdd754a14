import type { ErrorEntry } from './entry.ts';

/** KX23xx: values that are text but say nothing kubexm can use. */
export const configValueErrors = {
  KX2301: {
    exit: 3,
    title: { en: '{field}: "{value}" is not an IP address', zh: '{field}："{value}" 不是 IP 地址' },
    remedy: {
      en: 'Write an IPv4 or IPv6 address, or one of each separated by a half-width comma: "172.16.0.2,2022::2"',
      zh: '请写一个 IPv4 或 IPv6 地址，或各一个并用半角逗号分隔："172.16.0.2,2022::2"',
    },
  },
  KX2302: {
    exit: 3,
    title: { en: '{field}: "{value}" carries a port', zh: '{field}："{value}" 中带有端口' },
    remedy: { en: 'Write the address alone and add: port: {port}', zh: '地址单独写，并添加：port: {port}' },
  },
  KX2303: {
    exit: 3,
    title: { en: '{field} has several {family} values', zh: '{field} 中有多个 {family} 值' },
    remedy: {
      en: 'Keep at most one IPv4 and one IPv6; the first is the primary.',
      zh: '最多保留一个 IPv4 和一个 IPv6；第一个为主。',
    },
  },
  KX2304: {
    exit: 3,
    title: { en: '{field}: no machine can be reached under {value}', zh: '{field}：无法通过 {value} 访问主机' },
    remedy: {
      en: 'Give the address that other machines use. Unspecified, link-local and multicast addresses do not work.',
      zh: '请填写其他机器访问它的地址。未指定、链路本地和组播地址不可用。',
    },
  },
  KX2305: {
    exit: 3,
    title: {
      en: '{field}: "{value}" is neither an IP address nor a host name',
      zh: '{field}："{value}" 既不是 IP 地址也不是主机名',
    },
    remedy: { en: 'Write for example 172.16.0.2 or node1.example.com.', zh: '例如 172.16.0.2 或 node1.example.com。' },
  },
  KX2306: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a network', zh: '{field}："{value}" 不是网段' },
    remedy: {
      en: 'Write address/prefix, such as 10.233.64.0/18, or one per family: "10.233.64.0/18,fd85::/112"',
      zh: '请写成 地址/前缀，例如 10.233.64.0/18，或每个协议族一个："10.233.64.0/18,fd85::/112"',
    },
  },
  KX2307: {
    exit: 3,
    title: {
      en: '{field}: {value} is an address inside a network, not a network',
      zh: '{field}：{value} 是网段内的地址，而不是网段',
    },
    remedy: { en: 'Write {network}.', zh: '请写成 {network}。' },
  },
  KX2309: {
    exit: 3,
    title: { en: '{field}: "{value}" cannot be a host name', zh: '{field}："{value}" 不能作为主机名' },
    remedy: {
      en: 'Use lower-case letters, digits, hyphens and dots, at most 63 characters. For example: {suggestion}',
      zh: '只能使用小写字母、数字、短横线和点，最多 63 个字符。例如：{suggestion}',
    },
  },
  KX2310: {
    exit: 3,
    title: {
      en: '{field}: the name "{value}" is taken by kubexm itself',
      zh: '{field}：名称 "{value}" 由 kubexm 自身使用',
    },
    remedy: { en: 'Choose another name.', zh: '请换一个名称。' },
  },
  KX2311: {
    exit: 3,
    title: { en: '{field}: "{value}" cannot be a name', zh: '{field}："{value}" 不能作为名称' },
    remedy: {
      en: 'Use lower-case letters, digits and hyphens, starting and ending with a letter or digit, at most 63.',
      zh: '只能使用小写字母、数字和短横线，首尾必须是字母或数字，最多 63 个字符。',
    },
  },
  KX2312: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a domain name', zh: '{field}："{value}" 不是有效域名' },
    remedy: {
      en: 'Write lower-case labels separated by dots, such as lb.example.com, without scheme and port.',
      zh: '请写小写、以点分隔的域名，例如 lb.example.com，不带协议和端口。',
    },
  },
  KX2313: {
    exit: 3,
    title: { en: 'the range {value} runs backwards', zh: '范围 {value} 是倒序的' },
    remedy: { en: 'Put the smaller number first: name[first:last]', zh: '请将较小的数字放在前面：name[first:last]' },
  },
  KX2314: {
    exit: 3,
    title: { en: 'the range {value} stands for more than {limit} hosts', zh: '范围 {value} 超过 {limit} 台主机' },
    remedy: { en: 'Check the numbers.', zh: '请检查数字。' },
  },
  KX2315: {
    exit: 3,
    title: { en: '{value} is not a range', zh: '{value} 不是有效范围' },
    remedy: {
      en: 'A range is two numbers with a half-width colon in brackets: node[5:6] or node[01:12].',
      zh: '范围是方括号中用半角冒号分隔的两个数字：node[5:6] 或 node[01:12]。',
    },
  },
  KX2316: {
    exit: 3,
    title: { en: 'the ends of the range {value} have different numbers of digits', zh: '范围 {value} 两端的位数不同' },
    remedy: {
      en: 'With leading zeros write both ends equally long: node[01:12].',
      zh: '带前导零时，两端的位数必须相同：node[01:12]。',
    },
  },
  KX2317: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a Kubernetes version', zh: '{field}："{value}" 不是 Kubernetes 版本号' },
    remedy: {
      en: 'Write all three numbers, such as v1.34.2, on one line.',
      zh: '请在一行内写完整的三段版本号，例如 v1.34.2。',
    },
  },
  KX2318: {
    exit: 3,
    title: { en: '{field}: Kubernetes {value} is not supported', zh: '{field}：不支持 Kubernetes {value}' },
    remedy: { en: 'Choose a version from {first} to {last}.', zh: '请选择 {first} 到 {last} 之间的版本。' },
  },
  KX2319: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a version', zh: '{field}："{value}" 不是版本号' },
    remedy: {
      en: 'Write it as its project does, such as 1.7.24 or v3.5.21.',
      zh: '请按其项目的写法填写，例如 1.7.24 或 v3.5.21。',
    },
  },
  KX2320: {
    exit: 3,
    title: { en: '{field}: "{value}" is not an absolute path', zh: '{field}："{value}" 不是绝对路径' },
    remedy: { en: 'Start with a slash, without spaces and "..".', zh: '请以斜杠开头，不含空格和 ".."。' },
  },
  KX2321: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a URL', zh: '{field}："{value}" 不是 URL' },
    remedy: { en: 'Write for example https://192.168.6.6:2379.', zh: '例如 https://192.168.6.6:2379。' },
  },
  KX2322: {
    exit: 3,
    title: { en: '{field}: "{value}" cannot be a label', zh: '{field}："{value}" 不能作为标签' },
    remedy: {
      en: 'Letters, digits, "-", "_" and "." only, at most 63, starting and ending with a letter or digit; a key may have a DNS prefix and a slash.',
      zh: '只能使用字母、数字、"-"、"_" 和 "."，最多 63 个字符，首尾必须是字母或数字；键可带 DNS 前缀和斜杠。',
    },
  },
  KX2324: {
    exit: 3,
    title: { en: '{field}: there is no time zone "{value}"', zh: '{field}：没有时区 "{value}"' },
    remedy: {
      en: 'Did you mean {suggestion}? All names: timedatectl list-timezones',
      zh: '您是不是想写 {suggestion}？全部名称：timedatectl list-timezones',
    },
  },
  KX2326: {
    exit: 3,
    title: {
      en: '{field} contains a line break or control character: "{value}"',
      zh: '{field} 中含有换行或控制字符："{value}"',
    },
    remedy: { en: 'Remove it; the value must fit on one line.', zh: '请删除它；值必须在一行内。' },
  },
  KX2327: {
    exit: 3,
    title: { en: '{field} is not a valid reference to a secret', zh: '{field} 不是有效的密文引用' },
    remedy: {
      en: 'Write env:NAME, file:/path, prompt or prompt:label.',
      zh: '请写成 env:NAME、file:/path、prompt 或 prompt:标签。',
    },
  },
  KX2328: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a line of /etc/hosts', zh: '{field}："{value}" 不是 /etc/hosts 的有效行' },
    remedy: {
      en: 'Write an address followed by names: 192.168.1.100 api.example.com',
      zh: '请先写地址再写域名：192.168.1.100 api.example.com',
    },
  },
  KX2329: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a command-line argument', zh: '{field}："{value}" 不是命令行参数' },
    remedy: { en: 'Write --name=value.', zh: '请写成 --name=value。' },
  },
  KX2330: {
    exit: 3,
    title: { en: '{field}: "{value}" does not name a registry', zh: '{field}："{value}" 不是镜像仓库地址' },
    remedy: {
      en: 'Write host or host:port, such as registry.example.com:5000, without https://.',
      zh: '请写主机或 主机:端口，例如 registry.example.com:5000，不带 https://。',
    },
  },
  KX2331: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a package name', zh: '{field}："{value}" 不是软件包名' },
    remedy: { en: 'Write one package per entry.', zh: '每项写一个软件包。' },
  },
  KX2332: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a SHA-256', zh: '{field}："{value}" 不是 SHA-256' },
    remedy: {
      en: 'Write 64 hexadecimal digits, as sha256sum prints them.',
      zh: '请写 sha256sum 输出的 64 位十六进制数。',
    },
  },
  KX2333: {
    exit: 3,
    title: { en: '{field}: "{value}" has brackets or a zone', zh: '{field}："{value}" 带有方括号或区域标识' },
    remedy: { en: 'Write the IPv6 address alone, such as 2022::2.', zh: '请只写 IPv6 地址，例如 2022::2。' },
  },
  KX2334: {
    exit: 3,
    title: {
      en: '{field}: "{value}" is a directory of the system itself',
      zh: '{field}："{value}" 是系统自身的目录',
    },
    remedy: {
      en: 'Name a directory for this data alone, such as /data/kubelet: what is in it is deleted with the cluster.',
      zh: '请为这些数据指定一个单独的目录，例如 /data/kubelet：其中的数据会随集群一起删除。',
    },
  },
  KX2335: {
    exit: 3,
    title: { en: '{field}: "{value}" is not a host key', zh: '{field}："{value}" 不是主机密钥' },
    remedy: {
      en: 'Write a fingerprint (SHA256:…) as printed by ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub on the machine, or the content of that file.',
      zh: '请写机器上 ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub 输出的指纹（SHA256:…），或该文件的内容。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
