import { describe, expect, it } from 'vitest';
import { everyEvent } from '../../test/rig/every-event.ts';
import type { Lang } from '../model/errors/index.ts';
import type { RunEvent } from '../model/event.ts';
import { heartbeatLine, plainLines } from './plain.ts';
import { Redactor } from './redact/redactor.ts';
import { durationText, outcomeTexts, runOutcomeTexts, texts } from './texts.ts';

const events = everyEvent();

function all(lang: Lang, verbose = false): string[] {
  return events.flatMap((event) => plainLines(event, { lang, verbose }));
}

function only<T extends RunEvent['type']>(type: T): Extract<RunEvent, { type: T }> {
  return events.find((event) => event.type === type) as Extract<RunEvent, { type: T }>;
}

describe('plainLines', () => {
  it('reads like this', () => {
    expect(all('en')).toMatchInlineSnapshot(`
      [
        "create cluster prod: 12 steps on 2 hosts, run run-1, about 1 min 30 s",
        "node1: connected (45 ms)",
        "node2: KX4011 host node2 was lost: timeout",
        "etcd/install/unit@node1: started: file /etc/systemd/system/etcd.service",
        "etcd/install/unit@node1: already running on the host, waiting for it",
        "node1: /srv/x stays",
        "etcd/install/unit@node1: attempt 2 in 5 s: no route",
        "etcd/install/unit@node1: changed (250 ms)",
        "etcd/install/unit@node1: ran (500 ms)",
        "etcd/install/unit@node1: would change (1.0 s)",
        "    ~ mode",
        "      @@ line 1 @@",
        "      -a",
        "      +b",
        "etcd/install/unit@node1: would run (1.3 s)",
        "    ~ mode",
        "      @@ line 1 @@",
        "      -a",
        "      +b",
        "etcd/install/unit@node1: failed (1.5 s): KX4002 step etcd/install/unit@node1 failed: exit code 1",
        "    | line one",
        "    | line two",
        "etcd/install/unit@node1: unknown (2.0 s): KX4002 step etcd/install/unit@node1 failed: exit code 1",
        "    | line one",
        "    | line two",
        "etcd/install/unit@node1: reverted (2.3 s)",
        "etcd/install/unit@node1: dirty (2.5 s): KX4002 step etcd/install/unit@node1 failed: exit code 1",
        "    | line one",
        "    | line two",
        "etcd/install: failed (900 ms)",
        "etcd/install: rolling back 1 step on node1",
        "cleaning up: 1 step",
        "the cluster is ready",
        "checks are left out",
        "warning: KX4002 step etcd/install/unit@node1 failed: exit code 1",
        "    | line one",
        "    | line two",
        "    Read the last lines of the command above, fix the cause on that host, then run again, with --resume if the command supports it.",
        "create cluster prod: failed after 1 min 30 s: 3 changed, 1 failed",
        "  node1: KX4002 step etcd/install/unit@node1 failed: exit code 1",
        "    Read the last lines of the command above, fix the cause on that host, then run again, with --resume if the command supports it.",
        "  lost hosts: node2",
        "  go on with --resume",
      ]
    `);
  });

  it('speaks Chinese', () => {
    expect(all('zh')).toMatchInlineSnapshot(`
      [
        "create cluster prod：2 台主机，12 个步骤，运行 run-1，约 1 分 30 秒",
        "node1：已连接（45 毫秒）",
        "node2：KX4011 与主机 node2 失去联系：timeout",
        "etcd/install/unit@node1：开始：file /etc/systemd/system/etcd.service",
        "etcd/install/unit@node1：已在主机上运行，等待其结束",
        "node1：/srv/x stays",
        "etcd/install/unit@node1：5 秒后进行第 2 次尝试：no route",
        "etcd/install/unit@node1：已更改（250 毫秒）",
        "etcd/install/unit@node1：已执行（500 毫秒）",
        "etcd/install/unit@node1：将会更改（1.0 秒）",
        "    ~ mode",
        "      @@ line 1 @@",
        "      -a",
        "      +b",
        "etcd/install/unit@node1：将会执行（1.3 秒）",
        "    ~ mode",
        "      @@ line 1 @@",
        "      -a",
        "      +b",
        "etcd/install/unit@node1：失败（1.5 秒）：KX4002 步骤 etcd/install/unit@node1 失败：exit code 1",
        "    | line one",
        "    | line two",
        "etcd/install/unit@node1：未知（2.0 秒）：KX4002 步骤 etcd/install/unit@node1 失败：exit code 1",
        "    | line one",
        "    | line two",
        "etcd/install/unit@node1：已回滚（2.3 秒）",
        "etcd/install/unit@node1：半更改（2.5 秒）：KX4002 步骤 etcd/install/unit@node1 失败：exit code 1",
        "    | line one",
        "    | line two",
        "etcd/install：失败（900 毫秒）",
        "etcd/install：正在 node1 上回滚 1 个步骤",
        "正在清理：1 个步骤",
        "the cluster is ready",
        "跳过检查",
        "警告：KX4002 步骤 etcd/install/unit@node1 失败：exit code 1",
        "    | line one",
        "    | line two",
        "    查看上面命令的最后几行输出，在该主机上修复原因，然后再次运行；支持 --resume 的命令请加上它。",
        "create cluster prod：失败，用时 1 分 30 秒：已更改 3，失败 1",
        "  node1：KX4002 步骤 etcd/install/unit@node1 失败：exit code 1",
        "    查看上面命令的最后几行输出，在该主机上修复原因，然后再次运行；支持 --resume 的命令请加上它。",
        "  失去联系的主机：node2",
        "  可使用 --resume 继续",
      ]
    `);
  });

  it('leaves no parameter unfilled, in any language', () => {
    for (const lang of ['en', 'zh'] as const)
      for (const line of all(lang, true)) expect(line).not.toMatch(/\{\w+\}|undefined/);
  });

  it('shows what commands print only when asked', () => {
    expect(plainLines(only('node-output'), { lang: 'en' })).toEqual([]);
    expect(plainLines(only('node-output'), { lang: 'en', verbose: true })).toEqual([
      'etcd/install/unit@node1: exit code 1',
      '    | out',
      '    | err',
    ]);
  });

  it('shows the difference of a dry run', () => {
    const event = events.find((one) => one.type === 'node-finished' && one.outcome === 'would-change');
    const diff = [
      { what: 'mode', from: '0644', to: '0600' },
      { what: 'owner', to: 'root' },
      { what: 'acl', from: 'x' },
    ];
    expect(plainLines({ ...event, diff } as RunEvent, { lang: 'en' }).slice(1)).toEqual([
      '    ~ mode: 0644 → 0600',
      '    + owner: root',
      '    - acl: x',
    ]);
  });

  it('show no planted secret', () => {
    const redactor = new Redactor();
    redactor.add('planted-Secret-77');
    for (const event of everyEvent((text) => `${text}planted-Secret-77`)) {
      const lines = plainLines(redactor.event(event), { lang: 'en', verbose: true });
      expect(lines.join('\n'), event.type).not.toContain('planted');
    }
  });

  it("does not let a host's output steer the terminal", () => {
    const message = only('message');
    expect(plainLines({ ...message, text: 'a\x1b[31mred\x1b[0m\x1b]0;title\x07\r\x08b\tc' }, { lang: 'en' })).toEqual([
      'ared b    c',
    ]);
    const line = { ...only('node-line'), line: 'one\ntwo' };
    expect(plainLines(line, { lang: 'en', verbose: true })).toHaveLength(1);
  });
});

describe('heartbeatLine', () => {
  it('names what is running', () => {
    const state = { done: 3, nodes: 12, elapsedMs: 61_000, running: ['a@x', 'b@x', 'c@x', 'd@x'] };
    expect(heartbeatLine(state, { lang: 'en' })).toBe('… 3 of 12 steps, 1 min 1 s; running: a@x, b@x, c@x and 1 more');
    expect(heartbeatLine({ ...state, running: [] }, { lang: 'en' })).toBe('… 3 of 12 steps, 1 min 1 s');
    const builds = { programs: 10, built: 3, share: 0.425, leftSeconds: 301 };
    expect(heartbeatLine({ ...state, running: [], builds }, { lang: 'en' })).toBe(
      '… 3 of 12 steps, 1 min 1 s, builds: 3 of 10, 42 %, about 6 min left',
    );
  });
});

describe('texts', () => {
  it('have the same parameters in every language', () => {
    const params = (text: string) =>
      [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort((a, b) => a.localeCompare(b));
    for (const text of Object.values(texts)) expect(params(text.zh)).toEqual(params(text.en));
    for (const text of [...Object.values(outcomeTexts), ...Object.values(runOutcomeTexts)])
      expect(text.zh).not.toBe(text.en);
  });
  it('say durations as people do', () => {
    const said = [0, 45.4, 999, 1000, 9_940, 9_960, 59_400, 59_600, 60_000, 3_599_600, 7_380_000].map((ms) =>
      durationText(ms, 'en'),
    );
    expect(said).toEqual([
      '0 ms',
      '45 ms',
      '999 ms',
      '1.0 s',
      '9.9 s',
      '10 s',
      '59 s',
      '1 min',
      '1 min',
      '1 h',
      '2 h 3 min',
    ]);
  });
});

it('a run that builds says so in its second line, a dry run that it would', () => {
  const [started] = everyEvent();
  if (started?.type !== 'run-started') throw new Error('the first event is another one');
  const builds = { programs: 10, seconds: 870, cores: 2 };
  const second = (more: object, lang: 'en' | 'zh' = 'en') => plainLines({ ...started, ...more }, { lang })[1];
  expect(second({})).toBeUndefined();
  expect(second({ builds, dryRun: false })).toBe('building 10 programs from source, about 15 min on 2 cores');
  expect(second({ builds, dryRun: true })).toBe('would build 10 programs from source, about 15 min on 2 cores');
  expect(second({ builds, dryRun: false }, 'zh')).toBe('将从源码构建 10 个程序，在 2 个核上约需 15 分');
  const one = { programs: 1, seconds: 32, cores: 1 };
  expect(second({ builds: one, dryRun: false })).toBe('building 1 program from source, about 40 s on 1 core');
});
