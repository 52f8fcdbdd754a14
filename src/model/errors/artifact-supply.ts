import type { ErrorEntry } from './entry.ts';

/** KX7015–KX7029: getting artifacts, whatever the source. */
export const supplyErrors = {
  KX7015: {
    exit: 1,
    title: { en: 'no source offers {what}', zh: '没有来源提供 {what}' },
    remedy: {
      en: 'The sources are: {sources}. Add another to spec.artifacts.sources or KUBEXM_SOURCES: a directory or bundle that has it, a mirror, or upstream.',
      zh: '当前来源：{sources}。请在 spec.artifacts.sources 或 KUBEXM_SOURCES 中加入其他来源：含有它的目录或离线包、镜像站，或 upstream。',
    },
  },
  KX7016: {
    exit: 1,
    title: { en: 'cannot get {what} from {sources}', zh: '无法从 {sources} 获取 {what}' },
    remedy: {
      en: 'The reasons are above. Fix one of them, add another source to spec.artifacts.sources, or choose a version that a source has. What was downloaded so far is kept.',
      zh: '原因见上。请解决其中之一，在 spec.artifacts.sources 中加入其他来源，或选择某个来源已有的版本；已获取的内容会保留。',
    },
  },
  KX7017: {
    exit: 1,
    title: { en: '{source} gave everything but {item}', zh: '{source} 未提供 {item}' },
    remedy: {
      en: 'The catalog and what the source has do not agree. Choose another version, or another source.',
      zh: '目录与该来源的内容不一致。请选择其他版本或其他来源。',
    },
  },
  KX7018: {
    exit: 1,
    title: {
      en: '{item} from {source} has the digest {got}; this cluster has agreed on {pinned}, from {from}',
      zh: '来自 {source} 的 {item} 摘要为 {got}；该集群已锁定来自 {from} 的 {pinned}',
    },
    remedy: {
      en: 'Nothing was changed. Use the source that it came from, or accept the other file with `kubexm download artifacts --update-lock`.',
      zh: '未做任何更改。请使用原来的来源，或用 `kubexm download artifacts --update-lock` 接受新的文件。',
    },
  },
  KX7019: {
    exit: 1,
    title: { en: '{file} cannot be read: {reason}', zh: '无法读取 {file}：{reason}' },
    remedy: {
      en: 'It records the files that this cluster is locked to. Restore it from a copy, or remove it to lock the files again.',
      zh: '它记录该集群锁定的文件。请从副本恢复，或删除它以重新锁定。',
    },
  },
  KX7020: {
    exit: 64,
    title: { en: 'KUBEXM_SOURCES: {detail}', zh: 'KUBEXM_SOURCES：{detail}' },
    remedy: {
      en: 'Separate sources by commas: upstream, zone, go, go=unverified, directory=PATH, bundle=PATH, mirror=URL.',
      zh: '用逗号分隔来源：upstream、zone、go、go=unverified、directory=路径、bundle=路径、mirror=网址。',
    },
  },
  KX7021: {
    exit: 3,
    title: {
      en: 'the source {type} of spec.artifacts.sources has no {field}',
      zh: 'spec.artifacts.sources 中的 {type} 缺少 {field}',
    },
    remedy: {
      en: 'A bundle and a directory need a path, a mirror needs a url, and zone needs spec.artifacts.zone or KMZONE.',
      zh: 'bundle 与 directory 需要 path，mirror 需要 url，zone 需要 spec.artifacts.zone 或 KMZONE。',
    },
  },
  KX7022: {
    exit: 1,
    title: { en: '{count} artifacts are damaged or missing', zh: '{count} 个制品已损坏或缺失' },
    remedy: {
      en: 'Get them again with `kubexm download artifacts`.',
      zh: '请用 `kubexm download artifacts` 重新获取。',
    },
  },
  KX7023: {
    exit: 1,
    title: { en: 'the cluster does without {what}: {reason}', zh: '集群将不使用 {what}：{reason}' },
    remedy: {
      en: 'It is optional. Get it later with `kubexm download artifacts --again`, or add a source that has it.',
      zh: '它是可选的。之后可用 `kubexm download artifacts --again` 获取，或加入含有它的来源。',
    },
  },
  KX7024: {
    exit: 1,
    title: { en: 'this cluster needs no {what}', zh: '该集群不需要 {what}' },
    remedy: {
      en: 'A task asks for what src/artifacts/catalog/requests.ts does not request. Report this with the configuration.',
      zh: '某个任务请求了 src/artifacts/catalog/requests.ts 未声明的内容。请附上配置报告此问题。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
