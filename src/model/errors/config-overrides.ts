import type { ErrorEntry } from './entry.ts';

/** KX223x: fields of the configuration that the command line sets with `-e`. */
export const configOverrideErrors = {
  KX2230: {
    exit: 3,
    title: { en: '-e takes a field and its value, not {text}', zh: '-e 需要字段和值，而不是 {text}' },
    remedy: {
      en: 'Write the path of a field, =, and a value as in the file: -e kubernetes.version=v1.34.2, -e hosts[node1].labels.zone=a',
      zh: '请写字段路径、= 以及与文件中相同写法的值：-e kubernetes.version=v1.34.2，-e hosts[node1].labels.zone=a',
    },
  },
  KX2231: {
    exit: 3,
    title: { en: '{field} has no {part}', zh: '{field} 中没有 {part}' },
    remedy: {
      en: 'An entry of a list is named by its number from 0 or by its name: hosts[0], hosts[node1]. New entries belong into the file.',
      zh: '列表项用从 0 开始的序号或名称表示：hosts[0]、hosts[node1]。新的列表项请写入文件。',
    },
  },
  KX2232: {
    exit: 3,
    title: {
      en: '{field} is a secret and is not taken from the command line',
      zh: '{field} 是机密，不能在命令行中给出',
    },
    remedy: {
      en: 'Others on this machine can read the words of a command. Give a reference instead: env:NAME, file:PATH or prompt.',
      zh: '本机上的其他人可以看到命令的参数。请改用引用：env:NAME、file:PATH 或 prompt。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
