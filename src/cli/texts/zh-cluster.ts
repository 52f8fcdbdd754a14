import type { enCluster } from './en-cluster.ts';

/** 集群相关命令的中文文字。 */
export const zhCluster: Readonly<Record<keyof typeof enCluster, string>> = {
  'group.create': '创建集群。',
  'group.delete': '删除集群。',
  'cmd.create-cluster': '在配置中的机器上创建集群。',
  'cmd.create-cluster.details':
    '首先检查所有机器，一次性报告全部问题；然后询问，再尽可能并行地创建集群。已符合要求的部分保持不变，因此可随时再次运行；失败或被终止后，用 --resume 继续。如果集群已存在而文件有改动，只在创建时生效的字段（版本、网络、Kubernetes 设置）会被逐一列出并拒绝。',
  'cmd.delete-cluster': '将集群的每台机器恢复原状。',
  'cmd.delete-cluster.details':
    '同时在所有机器上撤销其清单记录的一切：程序、文件、软件包、用户、设置、容器、数据。API 不可用或创建中途失败时也能使用。他人之后的更改会保留在旁边并予以说明。无响应的机器会被列出，之后可用 `kubexm reset nodes` 完成，处理完最后一台即完成删除。kubexm 更改过而已不在文件中的机器也会被列出。',
  'ex.create-cluster': '检查、询问、创建',
  'ex.create-cluster-dry': '列出将要更改的每一项',
  'ex.create-cluster-resume': '失败后继续',
  'ex.create-cluster-merge': '此后每个 kubectl 都使用它',
  'ex.delete-cluster': '输入集群名称确认',
  'ex.delete-cluster-dry': '列出将要撤销的每一项',
  'opt.skip-preflight': '不先检查机器',
  'opt.merge-kubeconfig': '完成后将集群写入您自己的 kubeconfig，与 `kubexm get kubeconfig --merge` 相同',
  'cmd.get-kubeconfig': '输出集群的 kubeconfig，或将其合并到您自己的 kubeconfig。',
  'cmd.get-kubeconfig.details':
    '输出 `create cluster` 获取的管理员 kubeconfig：拥有它即可完全控制集群。使用 --merge 时，将以集群名称命名的集群、用户和上下文写入 KUBECONFIG 的第一个文件（否则为 ~/.kube/config），并将该上下文设为当前上下文；文件中的其他条目和注释均会保留，但空格和换行可能变化。JSON 格式的文件以及同名但并非由 kubexm 写入的条目不会被更改。`delete cluster` 会再次移除它们。',
  'ex.get-kubeconfig-name': '文件名，可用于 KUBECONFIG',
  'ex.get-kubeconfig-merge': '此后每个 kubectl 都使用它',
  'opt.merge': '合并到您自己的 kubeconfig，而不是输出',
  'opt.kubeconfig-output': 'kubeconfig 本身，或其文件名',
  'kubeconfig.merged': '{file} 中现已包含集群 {name}，其上下文为当前上下文。',
  'kubeconfig.unfetched': '本次运行未获取 kubeconfig，因此未合并。如需合并现有的：kubexm get kubeconfig --merge',
  'kubeconfig.removed': '已从 {file} 中移除集群 {name}。',
  'kubeconfig.left':
    '{file} 中名为 {name} 的条目此后被更改，予以保留：{what}。如需删除：kubectl config delete-context {name}; kubectl config delete-cluster {name}; kubectl config delete-user {name}',
  'delete.warning': '此后该集群中运行的一切及其全部数据都将消失。主机数：{hosts}',
};
