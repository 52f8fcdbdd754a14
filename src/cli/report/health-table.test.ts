import { describe, expect, test } from 'vitest';
import type { Lang } from '../../model/errors/index.ts';
import { type HealthReport, healthRows } from '../../step/cluster/health.ts';
import { healthTable as tableOf } from './health-table.ts';

const healthTable = (report: HealthReport, lang: Lang) =>
  tableOf({ type: 'health', cluster: report.cluster, rows: healthRows(report) }, lang);

const node = (name: string, is?: string, more = {}) => ({
  kind: 'Node',
  name,
  version: 'v1.34.2',
  addresses: ['192.0.2.1'],
  ...(is ? { is } : {}),
  ...more,
});
const pod = (component: string, is?: string) => ({ kind: 'Pod', name: `${component}-cp1`, is });
const dns = { kind: 'Deployment', namespace: 'kube-system', name: 'coredns', is: 'Available', ready: 1, wanted: 2 };
const proxy = (ready?: number) => ({
  kind: 'DaemonSet',
  namespace: 'kube-system',
  name: 'kube-proxy',
  wanted: 2,
  ...(ready ? { ready } : {}),
});

function report(
  parts: readonly object[],
  nodes = [role('cp1', 'master', 'etcd'), role('node1', 'worker')],
): HealthReport {
  return {
    cluster: 'demo',
    nodes,
    controlPlane: ['kube-apiserver', 'etcd'],
    addOns: [
      { title: 'kube-proxy', namespace: 'kube-system', name: 'kube-proxy' },
      { title: 'CoreDNS', namespace: 'kube-system', name: 'coredns' },
    ],
    said: parts.map((part) => `${JSON.stringify(part)}\n`).join(''),
  };
}

function role(name: string, ...roles: readonly string[]) {
  return { name, roles };
}

const well = [node('cp1', 'Ready'), node('node1', 'Ready'), pod('kube-apiserver', 'Ready'), pod('etcd', 'Ready'), dns];

describe('the table of health', () => {
  test('of a cluster that is well', () => {
    expect(`\n${healthTable(report([...well, proxy(2)]), 'en')}\n`).toMatchInlineSnapshot(`
      "
      The cluster demo is well. Nodes that are ready: 2 of 2
      part           name            ready  details
      ─────────────  ──────────────  ─────  ──────────────────────────────────
      node           cp1             Ready  master, etcd · v1.34.2 · 192.0.2.1
      node           node1           Ready  worker · v1.34.2 · 192.0.2.1
      control plane  kube-apiserver  1/1    ok
      control plane  etcd            1/1    ok
      add-on         kube-proxy      2/2    ok
      add-on         CoreDNS         1/2    ok
      "
    `);
  });

  test('names what is not well, and how to look further', () => {
    const parts = [
      node('cp1', 'Ready', { cordoned: true, addresses: ['192.0.2.1', '2001:db8::1'] }),
      node('node1'),
      pod('kube-apiserver', 'Ready'),
      pod('etcd'),
      proxy(),
    ];
    const nodes = [role('cp1', 'master', 'etcd'), role('node1', 'worker'), role('node2', 'worker')];
    expect(`\n${healthTable(report(parts, nodes), 'en')}\n`).toMatchInlineSnapshot(`
      "
      The cluster demo is not well. Nodes that are ready: 1 of 3
      part           name            ready                     details
      ─────────────  ──────────────  ────────────────────────  ────────────────────────────────────────────────────────────────────
      node           cp1             Ready,SchedulingDisabled  master, etcd · v1.34.2 · 192.0.2.1, 2001:db8::1
      node           node1           NotReady                  KX4701 the node is not ready (worker · v1.34.2 · 192.0.2.1)
                                                               → Ask the cluster: kubectl describe node node1. The kubelet of the
                                                               machine tells more: journalctl -u kubelet
      node           node2           -                         KX4702 the machine has not joined
                                                               → When it can be reached again, run: kubexm create cluster --resume.
                                                               What went wrong is in: kubexm describe run last
      control plane  kube-apiserver  1/1                       ok
      control plane  etcd            0/1                       KX4703 not all of it runs
                                                               → See which pod is not ready: kubectl -n kube-system get pods -o
                                                               wide. Then: kubectl -n kube-system describe pod <name>, and logs.
      add-on         kube-proxy      0/2                       KX4703 not all of it runs
                                                               → See which pod is not ready: kubectl -n kube-system get pods -o
                                                               wide. Then: kubectl -n kube-system describe pod <name>, and logs.
      add-on         CoreDNS         0/0                       KX4703 not all of it runs
                                                               → See which pod is not ready: kubectl -n kube-system get pods -o
                                                               wide. Then: kubectl -n kube-system describe pod <name>, and logs.
      "
    `);
    expect(`\n${healthTable(report(parts, nodes), 'zh')}\n`).toMatchInlineSnapshot(`
      "
      集群 demo 状态异常。就绪节点：1 / 3
      类别      名称            就绪                      详情
      ────────  ──────────────  ────────────────────────  ────────────────────────────────────────────────────────────────────
      节点      cp1             Ready,SchedulingDisabled  master, etcd · v1.34.2 · 192.0.2.1, 2001:db8::1
      节点      node1           NotReady                  KX4701 节点未就绪 (worker · v1.34.2 · 192.0.2.1)
                                                          → 请向集群查询：kubectl describe node node1。该机器的 kubelet 日志有
                                                          更多信息：journalctl -u kubelet
      节点      node2           -                         KX4702 该机器尚未加入集群
                                                          → 该机器恢复可达后请运行：kubexm create cluster --resume。出错原因
                                                          见：kubexm describe run last
      控制平面  kube-apiserver  1/1                       正常
      控制平面  etcd            0/1                       KX4703 未全部运行
                                                          → 请查看未就绪的 Pod：kubectl -n kube-system get pods -o wide。然
                                                          后：kubectl -n kube-system describe pod <名称>，以及 logs。
      插件      kube-proxy      0/2                       KX4703 未全部运行
                                                          → 请查看未就绪的 Pod：kubectl -n kube-system get pods -o wide。然
                                                          后：kubectl -n kube-system describe pod <名称>，以及 logs。
      插件      CoreDNS         0/0                       KX4703 未全部运行
                                                          → 请查看未就绪的 Pod：kubectl -n kube-system get pods -o wide。然
                                                          后：kubectl -n kube-system describe pod <名称>，以及 logs。
      "
    `);
  });

  test('services of which one leads are well while it says so', () => {
    const lease = (name: string, renewed: string) => ({ kind: 'Lease', name, renewed, now: '2026-01-02T03:04:35Z' });
    const leases = [
      lease('kube-controller-manager', '2026-01-02T03:04:33.123456Z'),
      lease('kube-scheduler', '2026-01-02T03:03:33.123456Z'),
    ];
    const led = ['kube-controller-manager', 'kube-scheduler'];
    const rows = healthTable({ ...report([...well, proxy(2), ...leases]), led }, 'en').split('\n');
    expect(rows.find((row) => row.includes('kube-controller-manager'))).toMatch(/1\/1 +ok/);
    expect(rows.find((row) => row.includes('kube-scheduler'))).toMatch(/0\/1 +KX4703/);
    expect(healthTable({ ...report([...well, proxy(2)]), led }, 'en')).toContain('is not well');
  });

  test('of many nodes only those that are not well are listed', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `node${i}`);
    const parts = names.map((name, i) => node(name, i === 7 ? undefined : 'Ready'));
    const text = healthTable(
      report(
        [...well.slice(2), ...parts, proxy(2)],
        names.map((name) => role(name, 'worker')),
      ),
      'en',
    );
    const lines = text.split('\n');
    expect(lines[0]).toBe('The cluster demo is not well. Nodes that are ready: 4999 of 5000');
    expect(lines[3]).toMatch(/^node .*ok \(4999\)$/);
    expect(lines[4]).toContain('node7');
    expect(lines.length).toBeLessThan(15);
  });

  test('an answer that was cut is read as far as it goes', () => {
    const whole = report([...well, proxy(2)]);
    expect(healthTable({ ...whole, said: `${whole.said}{"kind":"Node","na` }, 'en')).toBe(healthTable(whole, 'en'));
  });
});
