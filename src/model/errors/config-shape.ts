import type { ErrorEntry } from './entry.ts';

/** KX22xx: unknown, missing and mistyped fields. */
export const configShapeErrors = {
  KX2201: {
    exit: 3,
    title: { en: 'unknown key "{key}" in {where}', zh: '{where} 中有未知的键 "{key}"' },
    remedy: { en: 'Did you mean "{suggestion}"?', zh: '您是不是想写 "{suggestion}"？' },
  },
  KX2202: {
    exit: 3,
    title: { en: 'unknown key "{key}" in {where}', zh: '{where} 中有未知的键 "{key}"' },
    remedy: {
      en: 'Remove it, or check the indentation. Known keys here: {known}',
      zh: '请删除它，或检查缩进。此处可用的键：{known}',
    },
  },
  KX2203: {
    exit: 3,
    title: { en: '{field} is missing', zh: '缺少 {field}' },
    remedy: { en: 'Add it. See the example: kubexm generate config', zh: '请添加。可参考示例：kubexm generate config' },
  },
  KX2204: {
    exit: 3,
    title: {
      en: '{field} must be text, but YAML reads {value} as something else',
      zh: '{field} 必须是文本，但 YAML 将 {value} 读成了其他类型',
    },
    remedy: { en: 'Put it in quotes: "{value}"', zh: '请加引号："{value}"' },
  },
  KX2205: {
    exit: 3,
    title: { en: '{field} must be true or false, not {value}', zh: '{field} 必须是 true 或 false，不能是 {value}' },
    remedy: {
      en: 'Write true or false, without quotes. YAML does not know yes, no, on, off.',
      zh: '请写 true 或 false，不加引号。YAML 不识别 yes、no、on、off。',
    },
  },
  KX2206: {
    exit: 3,
    title: { en: '{field} must be a whole number, not {value}', zh: '{field} 必须是整数，不能是 {value}' },
    remedy: { en: 'Write digits only, half-width, without quotes and units.', zh: '请只写半角数字，不加引号和单位。' },
  },
  KX2207: {
    exit: 3,
    title: {
      en: '{field} is written as {value}, which programs read differently',
      zh: '{field} 写成 {value}，不同程序的读法不同',
    },
    remedy: {
      en: 'Write a plain decimal number: no leading zero, no 0x, no exponent. Read here as {number}.',
      zh: '请写普通十进制数：不带前导零、0x 或指数。此处读作 {number}。',
    },
  },
  KX2208: {
    exit: 3,
    title: { en: '{field} must be a list', zh: '{field} 必须是列表' },
    remedy: {
      en: 'Put each entry on a line of its own, starting with "- ", or write [a, b].',
      zh: '请每项一行并以 "- " 开头，或写成 [a, b]。',
    },
  },
  KX2209: {
    exit: 3,
    title: { en: '{field} must be a mapping of keys and values', zh: '{field} 必须是键值映射' },
    remedy: {
      en: 'Write "key: value" lines under it, indented by two spaces, with a space after each colon.',
      zh: '请在其下缩进两个空格写 "key: value"，冒号后要有空格。',
    },
  },
  KX2210: {
    exit: 3,
    title: { en: '{field} cannot be "{value}"', zh: '{field} 不能是 "{value}"' },
    remedy: { en: 'Choose one of: {allowed}', zh: '请选择其中之一：{allowed}' },
  },
  KX2211: {
    exit: 3,
    title: { en: '{field} cannot be "{value}"', zh: '{field} 不能是 "{value}"' },
    remedy: {
      en: 'Did you mean "{suggestion}"? Possible: {allowed}',
      zh: '您是不是想写 "{suggestion}"？可选：{allowed}',
    },
  },
  KX2212: {
    exit: 3,
    title: { en: '{field} names several values at once: "{value}"', zh: '{field} 同时写了多个值："{value}"' },
    remedy: {
      en: 'The bar separates alternatives: keep exactly one of: {allowed}',
      zh: '竖线表示多选一：请只保留一个：{allowed}',
    },
  },
  KX2213: {
    exit: 3,
    title: {
      en: '{field} must be between {min} and {max}, not {value}',
      zh: '{field} 必须在 {min} 到 {max} 之间，不能是 {value}',
    },
    remedy: { en: 'Choose a number in that range.', zh: '请选择该范围内的数字。' },
  },
  KX2214: {
    exit: 3,
    title: {
      en: '{first} and {second} are two spellings of one field',
      zh: '{first} 和 {second} 是同一字段的两种写法',
    },
    remedy: { en: 'Keep {first} and remove {second}.', zh: '请保留 {first}，删除 {second}。' },
  },
  KX2215: {
    exit: 3,
    title: { en: '{field} must be one piece of text', zh: '{field} 必须是一段文本' },
    remedy: {
      en: 'Write one value after the colon, not a list or a mapping.',
      zh: '请在冒号后写一个值，不能是列表或映射。',
    },
  },
  KX2216: {
    exit: 3,
    title: { en: '{field} is empty', zh: '{field} 为空' },
    remedy: { en: 'Give it a value, or remove the line.', zh: '请填写值，或删除该行。' },
  },
} as const satisfies Record<string, ErrorEntry>;
