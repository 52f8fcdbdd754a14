import { describe, expect, test } from 'vitest';
import type { Lang } from '../../model/errors/index.ts';
import type { CheckResult } from '../../step/smoke/checks.ts';
import { smokeResults } from '../../step/smoke/report.ts';
import { smokeTable } from './smoke-table.ts';

const tableOf = (results: readonly CheckResult[], ports: string, lang: Lang) =>
  smokeTable(smokeResults(results, ports), lang);

describe('the table of what was tried', () => {
  const result = (
    check: CheckResult['check'],
    from: string,
    to: string,
    problem: string | null = null,
  ): CheckResult => ({ check, from, to, problem });
  const mixed = [
    result('pod', '', 'node1'),
    result('pod', '', 'node2', 'ErrImageNeverPull'),
    result('dns', 'node1', 'kubernetes.default', 'lookup kubernetes.default: i/o timeout'),
    result('logs', 'cp1', 'node1'),
  ];

  test('says what failed, why, and what to do', () => {
    expect(`\n${tableOf(mixed, 'UDP 8472', 'en')}\n`).toMatchInlineSnapshot(`
      "
      The cluster does not work as it should. Checks: 4, failed: 2
      check                   from   to                  result
      ──────────────────────  ─────  ──────────────────  ─────────────────────────────────────────────────────────────────
      a pod on the node       -      node1               ok
      a pod on the node       -      node2               KX4601 no pod of the check runs on node2 (ErrImageNeverPull)
                                                         → Look at the node with: kubectl describe node node2. The kubelet
                                                         and the container runtime there tell more: journalctl -u kubelet
      name resolved in a pod  node1  kubernetes.default  KX4603 a pod on node1 cannot resolve kubernetes.default (lookup
                                                         kubernetes.default: i/o timeout)
                                                         → Look at CoreDNS: kubectl -n kube-system get pods -l
                                                         k8s-app=kube-dns -o wide. Where only some nodes fail, kube-proxy
                                                         there is the next to look at.
      logs of a pod           cp1    node1               ok
      "
    `);
    expect(`\n${tableOf(mixed, 'UDP 8472', 'zh')}\n`).toMatchInlineSnapshot(`
      "
      集群工作不正常。检查：4，失败：2
      检查            来源   目标                结果
      ──────────────  ─────  ──────────────────  ────────────────────────────────────────────────────────────────────
      节点上的 Pod    -      node1               正常
      节点上的 Pod    -      node2               KX4601 检查用的 Pod 未在 node2 上运行 (ErrImageNeverPull)
                                                 → 请查看该节点：kubectl describe node node2。那里的 kubelet 和容器运
                                                 行时日志有更多信息：journalctl -u kubelet
      Pod 内域名解析  node1  kubernetes.default  KX4603 node1 上的 Pod 无法解析 kubernetes.default (lookup
                                                 kubernetes.default: i/o timeout)
                                                 → 请检查 CoreDNS：kubectl -n kube-system get pods -l
                                                 k8s-app=kube-dns -o wide。若只有部分节点失败，再检查那里的
                                                 kube-proxy。
      Pod 日志        cp1    node1               正常
      "
    `);
  });

  test('of many results only the failed ones are listed', () => {
    const all = Array.from({ length: 500 }, (_, i) =>
      result('dns', `node${i}`, 'kubernetes.default', i === 7 ? 'refused' : null),
    );
    const lines = tableOf(all, 'UDP 8472', 'en').split('\n');
    expect(lines[3]).toMatch(/ok \(499\)$/);
    expect(lines[4]).toContain('node7');
    expect(lines.length).toBeLessThan(10);
  });

  test('of the network it says what has to pass between nodes', () => {
    const [en, zh] = (['en', 'zh'] as const).map((lang) =>
      tableOf([result('pod-to-pod', 'node1', 'node2', 'timeout')], 'UDP 51820', lang),
    );
    expect(en?.replaceAll(/\s+/g, ' ')).toContain('What has to pass there: UDP 51820');
    expect(zh).toContain('UDP 51820');
  });
});
