import type { ErrorEntry } from './entry.ts';

/** KX21xx: what keyboards do to YAML, and YAML itself. */
export const configSyntaxErrors = {
  KX2101: {
    exit: 3,
    title: { en: 'a full-width colon follows "{key}"', zh: '"{key}" 后面是全角冒号' },
    remedy: { en: 'Type a half-width colon and a space: {key}: …', zh: '请改为半角冒号加空格：{key}: …' },
  },
  KX2102: {
    exit: 3,
    title: { en: 'a full-width comma ({char}) separates entries', zh: '条目之间使用了全角逗号（{char}）' },
    remedy: {
      en: 'Type a half-width comma. If it belongs to the text, put the text in quotes.',
      zh: '请改为半角逗号。如果它属于文本内容，请给文本加引号。',
    },
  },
  KX2103: {
    exit: 3,
    title: {
      en: 'curly or full-width quotes ({char}) are not quotes in YAML',
      zh: '弯引号或全角引号（{char}）在 YAML 中不是引号',
    },
    remedy: { en: 'Type straight quotes: "…"', zh: '请改为半角直引号："…"' },
  },
  KX2104: {
    exit: 3,
    title: { en: 'this is not an ordinary space but {char}', zh: '这不是普通空格，而是 {char}' },
    remedy: {
      en: 'Delete it and type a space with the input method switched to English.',
      zh: '请删除它，切换到英文输入法后输入空格。',
    },
  },
  KX2105: {
    exit: 3,
    title: { en: 'the line is indented with a tab', zh: '该行使用制表符（Tab）缩进' },
    remedy: {
      en: 'YAML indents with spaces only. Replace each tab by two spaces.',
      zh: 'YAML 只能用空格缩进。请将每个 Tab 替换为两个空格。',
    },
  },
  KX2106: {
    exit: 3,
    title: { en: 'no space after the colon of "{key}"', zh: '"{key}" 的冒号后面缺少空格' },
    remedy: { en: 'Write: {key}: …', zh: '请写成：{key}: …' },
  },
  KX2107: {
    exit: 3,
    title: { en: 'no space after the dash of a list entry', zh: '列表项的短横线后面缺少空格' },
    remedy: { en: 'Write a dash and a space: "- …"', zh: '请在短横线后加空格："- …"' },
  },
  KX2108: {
    exit: 3,
    title: { en: '"{char}" does not start a list entry', zh: '"{char}" 不能作为列表项的开头' },
    remedy: { en: 'Type a half-width hyphen and a space: "- …"', zh: '请改为半角短横线加空格："- …"' },
  },
  KX2109: {
    exit: 3,
    title: { en: 'full-width characters: {text}', zh: '使用了全角字符：{text}' },
    remedy: { en: 'Type them half-width: {ascii}', zh: '请改为半角字符：{ascii}' },
  },
  KX2110: {
    exit: 3,
    title: { en: 'a full-width bracket: {char}', zh: '使用了全角括号：{char}' },
    remedy: { en: 'Type it half-width: {ascii}', zh: '请改为半角括号：{ascii}' },
  },
  KX2111: {
    exit: 3,
    title: { en: 'a full-width ＃ does not start a comment', zh: '全角 ＃ 不能开始注释' },
    remedy: { en: 'Type a half-width #.', zh: '请改为半角 #。' },
  },
  KX2112: {
    exit: 3,
    title: { en: 'inside [ ] the range {text} needs quotes', zh: '在 [ ] 中，范围 {text} 需要加引号' },
    remedy: { en: 'Write "{text}", or one entry per line: - {text}', zh: '请写成 "{text}"，或每行一项：- {text}' },
  },
  KX2113: {
    exit: 3,
    title: { en: 'the key "{key}" is here twice', zh: '键 "{key}" 重复出现' },
    remedy: { en: 'Keep one of the two.', zh: '请只保留一个。' },
  },
  KX2120: {
    exit: 3,
    title: { en: 'the indentation does not match the lines around it', zh: '缩进与前后行不一致' },
    remedy: {
      en: 'Keys of one level start in the same column; what belongs under a key is two spaces further right.',
      zh: '同一层的键必须从同一列开始；下一层的内容再向右缩进两个空格。',
    },
  },
  KX2121: {
    exit: 3,
    title: { en: 'a quote is opened and never closed', zh: '引号没有闭合' },
    remedy: { en: 'Close it with the same kind of quote, on the same line.', zh: '请在同一行用相同的引号闭合。' },
  },
  KX2122: {
    exit: 3,
    title: { en: 'a bracket is not closed, or a comma is missing', zh: '括号没有闭合，或缺少逗号' },
    remedy: {
      en: 'Put a comma between entries, and close every square and curly bracket.',
      zh: '各项之间要有逗号，并且每个方括号和花括号都要闭合。',
    },
  },
  KX2123: {
    exit: 3,
    title: { en: 'a key without a colon and a value', zh: '键后面缺少冒号和值' },
    remedy: {
      en: 'Write "key: value", with a half-width colon and a space after it.',
      zh: '请写成 "key: value"，使用半角冒号并在其后加空格。',
    },
  },
  KX2124: {
    exit: 3,
    title: { en: 'two colons on one line', zh: '一行中有两个冒号' },
    remedy: {
      en: 'Put the second key on a line of its own, or the value in quotes if the colon belongs to it.',
      zh: '请将第二个键另起一行；如果冒号属于值，请给值加引号。',
    },
  },
  KX2125: {
    exit: 3,
    title: { en: 'a value cannot start with {char}', zh: '值不能以 {char} 开头' },
    remedy: { en: 'Put the value in quotes.', zh: '请给值加引号。' },
  },
  KX2126: {
    exit: 3,
    title: {
      en: 'a backslash in double quotes has a special meaning, and this one has none',
      zh: '双引号中的反斜杠有特殊含义，此处的写法无效',
    },
    remedy: { en: "Use single quotes: '…', or double the backslash.", zh: "请改用单引号：'…'，或写两个反斜杠。" },
  },
  KX2127: {
    exit: 3,
    title: { en: 'there is no anchor for the alias here', zh: '此处的别名没有对应的锚点' },
    remedy: {
      en: 'Put text that starts with * or & in quotes, or define the anchor (&name) above.',
      zh: '以 * 或 & 开头的文本请加引号，或在前面定义锚点（&name）。',
    },
  },
  KX2128: {
    exit: 3,
    title: { en: 'the tag {tag} is not allowed', zh: '不允许使用标签 {tag}' },
    remedy: {
      en: 'Remove it. If the text starts with an exclamation mark, put it in quotes.',
      zh: '请删除它。如果文本以感叹号开头，请加引号。',
    },
  },
  KX2129: {
    exit: 3,
    title: { en: 'a key must be plain text', zh: '键必须是普通文本' },
    remedy: {
      en: 'A list or a mapping cannot be a key. A template in double curly braces must be filled in before kubexm reads the file.',
      zh: '列表或映射不能作为键。双花括号模板必须在 kubexm 读取之前渲染好。',
    },
  },
  KX2130: {
    exit: 3,
    title: { en: 'a directive (%…) is not allowed', zh: '不允许使用指令（%…）' },
    remedy: { en: 'Remove the line.', zh: '请删除该行。' },
  },
  KX2131: {
    exit: 3,
    title: { en: 'this is not valid YAML ({reason})', zh: '此处不是有效的 YAML（{reason}）' },
    remedy: {
      en: 'Look at this line and the one above it: a colon, a quote, a bracket or the indentation is wrong.',
      zh: '请检查本行和上一行：冒号、引号、括号或缩进有误。',
    },
  },
  KX2132: {
    exit: 3,
    title: { en: 'the key "{key}" is not allowed', zh: '不允许使用键 "{key}"' },
    remedy: { en: 'Remove it.', zh: '请删除它。' },
  },
  KX2133: {
    exit: 3,
    title: { en: 'the merge key << needs a mapping', zh: '合并键 << 需要一个映射' },
    remedy: { en: 'Write <<: *name, where &name marks a mapping.', zh: '请写成 <<: *name，其中 &name 标记一个映射。' },
  },
} as const satisfies Record<string, ErrorEntry>;
