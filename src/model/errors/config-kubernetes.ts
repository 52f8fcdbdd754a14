import type { ErrorEntry } from './entry.ts';

/** KX273x: what a component of Kubernetes would refuse when it starts, minutes later. */
export const configKubernetesErrors = {
  KX2731: {
    exit: 3,
    title: { en: 'Kubernetes {version} has no feature gate {gate}', zh: 'Kubernetes {version} 没有特性门控 {gate}' },
    remedy: { en: 'Did you mean {suggestion}?', zh: '您是不是想写 {suggestion}？' },
  },
  KX2732: {
    exit: 3,
    title: {
      en: 'Kubernetes {version} has no feature gate {gate}: only versions {known} have it',
      zh: 'Kubernetes {version} 没有特性门控 {gate}：只有 {known} 的版本才有',
    },
    remedy: {
      en: 'Remove it, or choose such a version: a component does not start with an unknown feature gate.',
      zh: '请删除它，或选择有它的版本：组件遇到未知的特性门控将无法启动。',
    },
  },
  KX2733: {
    exit: 3,
    title: {
      en: 'there is no feature gate {gate}, neither in Kubernetes {version} nor in any other version that kubexm installs',
      zh: '没有特性门控 {gate}：Kubernetes {version} 和 kubexm 支持的其他版本中都不存在',
    },
    remedy: {
      en: 'Remove it, or correct the name: a component does not start with an unknown feature gate.',
      zh: '请删除它，或修正名称：组件遇到未知的特性门控将无法启动。',
    },
  },
  KX2734: {
    exit: 3,
    title: {
      en: 'the feature gate {gate} is always {state} in Kubernetes {version}',
      zh: '特性门控 {gate} 在 Kubernetes {version} 中固定为 {state}',
    },
    remedy: {
      en: 'Remove it: a component does not start with another value.',
      zh: '请删除它：与固定值不同时，组件将无法启动。',
    },
  },
  KX2735: {
    exit: 3,
    title: {
      en: 'the cgroup driver of the kubelet is {driver}, but the container runtime uses systemd',
      zh: '为 kubelet 设置的 cgroup 驱动是 {driver}，而容器运行时使用 systemd',
    },
    remedy: {
      en: 'Remove it: kubexm sets both to systemd, and with two different drivers no pod starts.',
      zh: '请删除它：kubexm 将两者都设为 systemd，驱动不一致时 Pod 无法启动。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
