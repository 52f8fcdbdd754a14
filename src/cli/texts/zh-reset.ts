import type { enReset } from './en-reset.ts';

/** `reset nodes` 的中文文字。 */
export const zhReset: Readonly<Record<keyof typeof enReset, string>> = {
  'group.reset': '将主机恢复原状。',
  'cmd.reset-nodes': '将主机恢复到 kubexm 更改之前的状态。',
  'cmd.reset-nodes.details':
    '从每台主机读取所做的更改，并从最后一项开始逐一撤销。他人之后改过的内容会以“名称.kubexm-kept-日期”保留在旁边并予以说明。最后不留下 kubexm 的任何痕迹；集群的最后一台主机重置后，其 kubeconfig 也一并移除。可随时中止或被终止，再次运行即可。',
  'ex.reset-nodes': '查看更改内容，然后确认',
  'ex.reset-nodes-dry': '列出一台主机上将撤销的每一项',
  'ex.reset-nodes-yes': '不询问',
  'ex.reset-nodes-leave': '主机上有无法撤销的更改时',
  'opt.leave': '无法撤销的更改保持原样：说明原因，kubexm 不再记录',
  'reset.nothing': '这些主机都没有清单：kubexm 在其上没有可撤销的更改。',
  'reset.warning': '以上更改都将被撤销。依赖它们在这些主机上运行的一切都会停止。',
  'col.changes': '更改数',
};
