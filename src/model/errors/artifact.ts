import type { ErrorEntry } from './entry.ts';

/** KX70xx: the catalog, and what a cluster needs of it. */
export const artifactErrors = {
  KX7001: {
    exit: 1,
    title: { en: 'the catalog file {file} is not valid: {detail}', zh: '目录文件 {file} 无效：{detail}' },
    remedy: {
      en: 'Correct the file; docs/artifacts.md describes its contents. If you did not change it, install kubexm again.',
      zh: '请修复该文件，内容说明见 docs/artifacts.md。若您未修改过它，请重新安装 kubexm。',
    },
  },
  KX7002: {
    exit: 1,
    title: { en: 'the catalog in {place} cannot be read: {reason}', zh: '无法读取 {place} 中的目录：{reason}' },
    remedy: {
      en: 'The directory data/catalog belongs to kubexm. Install kubexm again.',
      zh: '目录 data/catalog 是 kubexm 的一部分。请重新安装 kubexm。',
    },
  },
  KX7003: {
    exit: 3,
    title: {
      en: '{component} {version} ({field}) is not in the catalog',
      zh: '目录中没有 {component} {version}（{field}）',
    },
    remedy: {
      en: 'Did you mean {suggestion}? Known versions that fit Kubernetes {kubernetes}: {known}',
      zh: '是否指 {suggestion}？适用于 Kubernetes {kubernetes} 的已知版本：{known}',
    },
  },
  KX7004: {
    exit: 3,
    title: {
      en: '{component} {version} ({field}) does not fit Kubernetes {kubernetes}',
      zh: '{component} {version}（{field}）不适用于 Kubernetes {kubernetes}',
    },
    remedy: {
      en: 'Kubernetes {kubernetes} needs {accepts}. Take {suggestion}, or leave the field out.',
      zh: 'Kubernetes {kubernetes} 需要 {accepts}。请使用 {suggestion}，或删除该字段。',
    },
  },
  KX7005: {
    exit: 3,
    title: {
      en: '{component} {version} does not exist for {arch}, which {hosts} needs',
      zh: '{component} {version} 没有 {arch} 版本，而 {hosts} 需要它',
    },
    remedy: {
      en: 'It exists for {arches}. Use other hosts for this role, or another component.',
      zh: '它支持 {arches}。请为该角色使用其他主机，或使用其他组件。',
    },
  },
  KX7006: {
    exit: 64,
    title: { en: 'no mirrors are known for the zone {zone}', zh: '没有区域 {zone} 的镜像源' },
    remedy: {
      en: 'Set KMZONE or spec.artifacts.zone to one of: {known}. Empty means none.',
      zh: '请将 KMZONE 或 spec.artifacts.zone 设为：{known}。留空表示不使用。',
    },
  },
  KX7007: {
    exit: 3,
    title: {
      en: '{count} versions of the configuration do not fit',
      zh: '配置中有 {count} 个版本不适用',
    },
    remedy: { en: 'Fix each of them as described above.', zh: '请按上面的说明逐一修改。' },
  },
  KX7008: {
    exit: 64,
    title: { en: 'the catalog has no component {component}', zh: '目录中没有组件 {component}' },
    remedy: { en: 'Did you mean {suggestion}? Known: {known}', zh: '是否指 {suggestion}？已知组件：{known}' },
  },
  KX7009: {
    exit: 64,
    title: {
      en: '{version} cannot be added to {component}: {reason}',
      zh: '无法将 {version} 加入 {component}：{reason}',
    },
    remedy: {
      en: 'Write a released version such as 1.34.2, and what it comes with as key=value.',
      zh: '请填写已发布的版本，例如 1.34.2，附带的内容写成 key=value。',
    },
  },
  KX7010: {
    exit: 3,
    title: { en: 'kubexm knows no addon {name} (spec.addons)', zh: 'kubexm 没有名为 {name} 的插件（spec.addons）' },
    remedy: {
      en: 'Did you mean {suggestion}? Known: {known}. Give one of your own a type: yaml or helm.',
      zh: '是否指 {suggestion}？已知插件：{known}。自己的插件请填写 type：yaml 或 helm。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
