import { describe, expect, test } from 'vitest';
import { KubexmError } from '../../model/errors/index.ts';
import type { Host } from '../../model/host.ts';
import type { StepReport } from '../../model/report.ts';
import type { StepIo } from '../../plan/step.ts';
import { type Finding, finding, groupFindings } from '../../step/preflight/finding.ts';
import { type Report, report } from '../../step/preflight/report.ts';
import { preflightTable } from './preflight-table.ts';

const reported = (some: readonly Finding[], hosts: number, isPart = false) =>
  ({ type: 'preflight', hosts, isPart, findings: groupFindings(some) }) as const;
const findingsTable = (some: readonly Finding[], hosts: number, lang: 'en' | 'zh') =>
  preflightTable(reported(some, hosts), lang);
const many = Array.from({ length: 500 }, (_, i) => `node${i + 1}`);

const findings: readonly Finding[] = [
  ...many.map((name) => finding('KX4520', 'warning', name, {})),
  ...many.map((name, i) => finding('KX4535', 'error', name, { port: 10250 }, `kubelet (pid ${100 + i})`)),
  finding('KX4502', 'error', 'node7', { system: 'Alpine Linux v3.21', supported: 'Debian 12/13, Ubuntu 24.04' }),
  finding('KX4521', 'warning', ['node1'], {}, 'localhost'),
  finding('KX4515', 'info', ['node1', 'node3'], {}),
];

describe('the table', () => {
  test('has one line for what 500 hosts have in common', () => {
    expect(`\n${findingsTable(findings, 500, 'en')}\n`).toMatchInlineSnapshot(`
      "
      Preflight. Hosts: 500, errors: 2, warnings: 2, notes: 1
      severity  hosts         finding, and what to do
      ────────  ────────────  ────────────────────────────────────────────────────────────────────
      error     node7         KX4502 Alpine Linux v3.21 is not supported
                              → Install one of: Debian 12/13, Ubuntu 24.04.
      error     node[1:500]   KX4535 port 10250 is taken (node1: kubelet (pid 100); node2: kubelet
                              (pid 101); node3: kubelet (pid 102); node4: kubelet (pid 103); …)
                              → Stop the program, or move it to another port.
      warning   node[1:500]   KX4520 swap is on: it will be switched off
                              → Nothing to do. It is put back by delete.
      warning   node1         KX4521 the machine is called something else: its host name will be
                              the name in the file (localhost)
                              → Nothing to do. To keep the name, write it into the file.
      info      node1, node3  KX4515 root has no CAP_SYS_RESOURCE: containers run without a
                              lowered out-of-memory score
                              → Nothing to do: kubexm configures the runtime for it. This is
                              normal in containers; a real machine has the capability.
      "
    `);
  });

  test('is printed in Chinese too', () => {
    expect(`\n${findingsTable(findings, 500, 'zh')}\n`).toMatchInlineSnapshot(`
      "
      预检。主机：500，错误：2，警告：2，提示：1
      级别  主机          发现与处理
      ────  ────────────  ────────────────────────────────────────────────────────────────────
      错误  node7         KX4502 不支持操作系统 Alpine Linux v3.21
                          → 请安装下列系统之一：Debian 12/13, Ubuntu 24.04。
      错误  node[1:500]   KX4535 端口 10250 已被占用 (node1: kubelet (pid 100); node2: kubelet
                          (pid 101); node3: kubelet (pid 102); node4: kubelet (pid 103); …)
                          → 请停止该程序，或改用其他端口。
      警告  node[1:500]   KX4520 Swap 已开启：将被关闭
                          → 无需处理。删除集群时会恢复。
      警告  node1         KX4521 主机名与文件中的名称不同：将改为文件中的名称 (localhost)
                          → 无需处理。如需保留原名，请写入文件。
      提示  node1, node3  KX4515 root 没有 CAP_SYS_RESOURCE：容器无法降低 OOM 评分
                          → 无需处理：kubexm 会相应配置运行时。容器中通常如此；真实机器具有该
                          能力。
      "
    `);
  });

  test('says so when there is nothing to say', () => {
    expect(findingsTable([], 3, 'en')).toBe('Preflight. Hosts: 3, nothing found.');
    expect(findingsTable([], 3, 'zh')).toBe('预检。主机：3，一切正常。');
  });
});

describe('the report', () => {
  const told: StepReport[] = [];
  const io = { report: (one: StepReport) => void told.push(one) } as unknown as StepIo;
  const nothing: Report = { hosts: [{ name: 'node9', internal: [] }], judged: {}, looked: {} };
  const machine = { name: 'node9', hostname: 'node9', machineId: '9', arch: 'amd64', addresses: [] };
  const judged = { node9: { ...machine, firewalled: false, container: false, findings } };
  const tell = async (want: Report) => {
    told.length = 0;
    await report.definition.apply({} as Host, want, io);
  };
  const table = () => preflightTable(told[0] as ReturnType<typeof reported>, 'zh');

  test('an error ends the run with 4, after the table', async () => {
    const error = tell({ ...nothing, judged });
    await expect(error).rejects.toBeInstanceOf(KubexmError);
    await expect(error).rejects.toMatchObject({ code: 'KX4500', params: { errors: 2 } });
    expect(told).toEqual([reported(findings, 1)]);
  });

  test('a dry run says what it leaves out', () => {
    report.definition.predict?.({} as Host, nothing, { ...io, wouldFail: () => undefined });
    expect(told.at(-1)).toEqual(reported([], 1, true));
    expect(preflightTable(reported([], 1, true), 'en')).toMatch(/nothing found\.\nA dry run listens on no port/);
  });

  test('a host that does not answer is an error in the same table', async () => {
    const params = { host: 'node8', address: '192.0.2.8', port: 22 };
    const error = tell({ ...nothing, unreachable: { node8: { code: 'KX3001', params } } });
    await expect(error).rejects.toMatchObject({ code: 'KX4500', params: { errors: 1 } });
    expect(table()).toContain('预检。主机：2，错误：1，');
    expect(table()).toContain('错误  node8  KX3001 主机 node8 拒绝了到 192.0.2.8 端口 22 的连接');
  });

  test('warnings do not; what a host found gets its name', async () => {
    const looked = {
      node9: { uuid: '', isOurs: false, findings: [finding('KX4511', 'warning', [], { modules: 'overlay' })] },
    };
    await tell({ ...nothing, looked });
    expect(table()).toContain('警告  node9  KX4511 将加载内核模块 overlay');
  });
});
