import type { ErrorEntry } from './entry.ts';

/** KX81xx: the manifest on hosts, and undoing what it says. */
export const manifestErrors = {
  KX8101: {
    exit: 4,
    title: {
      en: '{host} belongs to another cluster: {other} ({uid})',
      zh: '主机 {host} 属于另一个集群：{other}（{uid}）',
    },
    remedy: {
      en: 'Nothing was changed. Run `kubexm reset nodes` with the configuration of {other} first, from the directory that has its .kubexm, or take {host} out of this configuration.',
      zh: '未做任何更改。请先在 {other} 的 .kubexm 所在目录用它的配置运行 `kubexm reset nodes`，或将 {host} 从此配置中移除。',
    },
  },
  KX8102: {
    exit: 1,
    title: { en: 'the manifest of {host} cannot be read: {reason}', zh: '无法读取主机 {host} 的清单：{reason}' },
    remedy: {
      en: 'It is in /var/lib/kubexm/manifest. Nothing was undone there. Bring it back from a backup, or undo by hand what it says.',
      zh: '清单位于 /var/lib/kubexm/manifest。该主机上未撤销任何更改。请从备份恢复，或按其内容手工撤销。',
    },
  },
  KX8103: {
    exit: 1,
    title: {
      en: '{host} has lost its manifest: what kubexm changed there is not known any more',
      zh: '主机 {host} 的清单已丢失：kubexm 在其上的更改无从得知',
    },
    remedy: {
      en: 'Restore /var/lib/kubexm/manifest from a backup and run this again, or reinstall the machine. Nothing on it is undone now.',
      zh: '请从备份恢复 /var/lib/kubexm/manifest 后重新运行，或重装该主机。目前其上不会撤销任何更改。',
    },
  },
  KX8104: {
    exit: 1,
    title: {
      en: '{node} cannot be undone: no step of kind {kind} is known',
      zh: '无法撤销 {node}：没有类型为 {kind} 的步骤',
    },
    remedy: {
      en: 'The change was made by another version of kubexm, or by a plugin that is not loaded. Use that one, or leave the change as it is: `kubexm reset nodes --leave`.',
      zh: '该更改由另一版本的 kubexm 或未加载的插件完成。请使用对应的版本或插件，或用 `kubexm reset nodes --leave` 保留该更改。',
    },
  },
  KX8105: {
    exit: 1,
    title: { en: '{node} cannot be undone: {reason}', zh: '无法撤销 {node}：{reason}' },
    remedy: {
      en: 'Fix the problem on the host and run `kubexm reset nodes` again; what is already undone stays undone. With --leave, changes that cannot be undone are left in place.',
      zh: '请在主机上处理所述问题，然后再次运行 `kubexm reset nodes`；已撤销的不会重来。使用 --leave 则保留无法撤销的更改。',
    },
  },
  KX8106: {
    exit: 7,
    title: {
      en: '{host} is not in the file any more, but what kubexm changed there was never undone',
      zh: '主机 {host} 已不在文件中，但 kubexm 在其上的更改从未撤销',
    },
    remedy: {
      en: 'It may still run its part of the cluster. Put it back into the file, then: kubexm reset nodes --nodes {host}. If the machine is gone for good, take its name out of {file} and delete the cluster again.',
      zh: '它可能仍在运行集群的一部分。请将其写回文件，然后执行 kubexm reset nodes --nodes {host}。如果该机器已不复存在，请从 {file} 中删除其名称，再次删除集群。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
