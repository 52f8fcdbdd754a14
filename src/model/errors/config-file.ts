import type { ErrorEntry } from './entry.ts';

/** KX20xx: the file as a whole, before anything in it is understood. */
export const configFileErrors = {
  KX2001: {
    exit: 3,
    title: { en: 'there is no file {file}', zh: '文件 {file} 不存在' },
    remedy: {
      en: 'Check the path after -f. To start from an example: kubexm generate config > config.yaml',
      zh: '请检查 -f 后面的路径。可用 kubexm generate config > config.yaml 生成示例。',
    },
  },
  KX2002: {
    exit: 3,
    title: { en: '{file} is a directory', zh: '{file} 是目录' },
    remedy: { en: 'Name the YAML file inside it.', zh: '请指定目录中的 YAML 文件。' },
  },
  KX2003: {
    exit: 3,
    title: { en: 'no permission to read {file}', zh: '没有读取 {file} 的权限' },
    remedy: {
      en: 'Run as its owner, or give yourself the right to read it.',
      zh: '请以文件所有者身份运行，或授予自己读取权限。',
    },
  },
  KX2004: {
    exit: 3,
    title: { en: '{file} is not a regular file', zh: '{file} 不是普通文件' },
    remedy: {
      en: 'kubexm reads a file, not a pipe, socket or device. Save the text into a file first.',
      zh: 'kubexm 只读取普通文件，不读取管道、套接字或设备。请先将内容保存为文件。',
    },
  },
  KX2005: {
    exit: 3,
    title: { en: '{file} is a symbolic link that leads back to itself', zh: '{file} 是循环的符号链接' },
    remedy: { en: 'Remove the loop, or name the real file.', zh: '请解除循环，或直接指定真实文件。' },
  },
  KX2006: {
    exit: 3,
    title: {
      en: 'the file is too large: {size} bytes, at most {limit} are read',
      zh: '文件过大：{size} 字节，最多读取 {limit} 字节',
    },
    remedy: {
      en: 'A configuration for 5,000 hosts fits. Check that this is the right file; put common settings of hosts into spec.ssh.',
      zh: '5000 台主机的配置也放得下。请确认文件是否正确；主机的公共设置可写在 spec.ssh 中。',
    },
  },
  KX2007: {
    exit: 3,
    title: { en: 'the file is not UTF-8: byte {byte} here', zh: '文件不是 UTF-8 编码：此处字节为 {byte}' },
    remedy: {
      en: 'Save it as UTF-8. If it was written in GBK: iconv -f GBK -t UTF-8 old.yaml > new.yaml',
      zh: '请将文件另存为 UTF-8。如果原为 GBK 编码：iconv -f GBK -t UTF-8 old.yaml > new.yaml',
    },
  },
  KX2008: {
    exit: 3,
    title: { en: 'the file is UTF-16, not UTF-8', zh: '文件是 UTF-16 编码，不是 UTF-8' },
    remedy: {
      en: 'Save it as UTF-8 in the editor, or: iconv -f UTF-16 -t UTF-8 old.yaml > new.yaml',
      zh: '请在编辑器中另存为 UTF-8，或执行：iconv -f UTF-16 -t UTF-8 old.yaml > new.yaml',
    },
  },
  KX2009: {
    exit: 3,
    title: { en: 'the file is binary, not text', zh: '文件是二进制文件，不是文本' },
    remedy: { en: 'Name a YAML file written by a person.', zh: '请指定人工编写的 YAML 文件。' },
  },
  KX2010: {
    exit: 3,
    title: { en: 'a control character ({char}) is in the text', zh: '文本中含有控制字符（{char}）' },
    remedy: {
      en: 'Delete it. It often comes from copying out of a terminal.',
      zh: '请删除它，通常是从终端复制时带入的。',
    },
  },
  KX2011: {
    exit: 3,
    title: { en: 'the file says nothing', zh: '文件没有内容' },
    remedy: {
      en: 'Start from an example: kubexm generate config > config.yaml',
      zh: '可用 kubexm generate config > config.yaml 生成示例。',
    },
  },
  KX2012: {
    exit: 3,
    title: { en: 'a second document starts here', zh: '此处开始了第二个文档' },
    remedy: {
      en: 'Keep one Cluster per file: remove the line --- and what follows, or move it into a file of its own.',
      zh: '每个文件只能有一个 Cluster：请删除 --- 及其后的内容，或移到另一个文件。',
    },
  },
  KX2013: {
    exit: 3,
    title: { en: 'nested more than {limit} levels deep', zh: '嵌套超过 {limit} 层' },
    remedy: {
      en: 'No field of kubexm is that deep. Check the brackets and the indentation.',
      zh: 'kubexm 的字段不会这么深。请检查括号和缩进。',
    },
  },
  KX2014: {
    exit: 3,
    title: { en: 'more than {limit} entries and marks in one file', zh: '一个文件中的条目和符号超过 {limit} 个' },
    remedy: { en: 'Check that this is the right file.', zh: '请确认文件是否正确。' },
  },
  KX2015: {
    exit: 3,
    title: {
      en: 'the aliases (*name) stand for more than {limit} entries',
      zh: '别名（*name）展开后超过 {limit} 个条目',
    },
    remedy: { en: 'Write the values out, or use fewer aliases.', zh: '请直接写出内容，或减少别名的使用。' },
  },
  KX2016: {
    exit: 3,
    title: { en: '{file} cannot be read: {reason}', zh: '无法读取 {file}：{reason}' },
    remedy: { en: 'Check the disk and the path.', zh: '请检查磁盘和路径。' },
  },
  KX2017: {
    exit: 3,
    title: {
      en: 'an invisible character ({char}) makes the text look different from what it says',
      zh: '不可见字符（{char}）使文本看起来与实际内容不同',
    },
    remedy: { en: 'Delete it, then read the line again.', zh: '请删除它，然后重新检查该行。' },
  },
  KX2099: {
    exit: 3,
    title: { en: '{count} more problems like {code} are not shown', zh: '还有 {count} 个与 {code} 相同的问题未显示' },
    remedy: { en: 'Fix the problems above and check again.', zh: '请先修复以上问题，再次检查。' },
  },
} as const satisfies Record<string, ErrorEntry>;
