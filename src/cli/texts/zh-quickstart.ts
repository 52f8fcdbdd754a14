import type { enQuickstart } from './en-quickstart.ts';

/** 检查集群与快速体验的中文文字。 */
export const zhQuickstart: Readonly<Record<keyof typeof enQuickstart, string>> = {
  'group.check': '证明一切工作正常。',
  'cmd.check-cluster': '用真实的 Pod 证明集群工作正常。',
  'cmd.check-cluster.details':
    '在每个节点上运行一个小型服务器（镜像直接导入，无需镜像仓库），并尝试集群必须具备的能力：跨节点的 Pod 互通、域名解析、按名称访问 Service、每个节点的节点端口、读取日志、执行命令。所有结果及处理方法列在一张表中，最后全部清除。',
  'ex.check-cluster': '尝试一切，不留痕迹',
  'ex.check-cluster-lab': '实验机器上的集群',
  'cmd.quickstart': '一条命令，从零开始在本机上得到真实的 Kubernetes 集群。',
  'cmd.quickstart.details':
    '在本机上创建机器，获取 Kubernetes 的各个组成部分，创建集群并证明其工作正常。可随时再次运行：已有的保留，缺少的补上，被终止后继续。创建机器需要 Linux 和 root 权限。',
  'ex.quickstart': '一个控制平面和一个工作节点',
  'ex.quickstart-nodes': '一个控制平面和三个工作节点',
  'ex.quickstart-delete': '全部删除',
  'opt.quickstart-nodes': '机器总数；第一台是控制平面（默认：2）',
  'opt.quickstart-kubernetes': 'Kubernetes 版本，例如 1.34 或 1.34.2',
  'opt.quickstart-delete': '删除机器以及与集群有关的一切；已下载或构建的内容保留',
  'quickstart.plan': '在本机的 {nodes} 台机器上安装 Kubernetes {version}，大约需要 {time}：',
  'quickstart.lab': '机器',
  'quickstart.artifacts': '程序与镜像',
  'quickstart.cluster': '集群',
  'quickstart.check': '证明其工作正常',
  'quickstart.about': '大约 {time}',
  'quickstart.builds': '从源码构建 {programs} 个程序，在 {cores} 个核上大约需要 {time}；结果会保留。',
  'quickstart.phase': '{n}/{of} {what}',
  'quickstart.labThere': '机器已就绪：{machines}',
  'quickstart.labRemade': '机器未创建完成，将重新创建。',
  'quickstart.again': '修复后再次运行即可继续：kubexm quickstart。或将其删除：kubexm quickstart --delete',
  'quickstart.ready': '集群已就绪，用时 {time}。',
  'quickstart.kubeconfig': 'kubeconfig 文件',
  'quickstart.server': 'API',
  'quickstart.config': '配置',
  'quickstart.next': '接下来：',
  'quickstart.confirm': '删除快速体验集群、其机器以及 {dir}？',
  'quickstart.deleted': '快速体验集群已删除。已下载或构建的内容保留在 {cache}',
  'quickstart.nothing': '没有快速体验集群。',
};
