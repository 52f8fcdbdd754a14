import type { Lang, Text } from '../model/errors/index.ts';
import type { Outcome, RunOutcome } from '../model/event.ts';
import { fillText } from '../model/text/fill.ts';

/** The words of the plain view and the log. */
export const texts = {
  runStarted: {
    en: '{pipeline} {cluster}: {steps} on {hosts}, run {run}',
    zh: '{pipeline} {cluster}：{hosts}，{steps}，运行 {run}',
  },
  about: { en: ', about {time}', zh: '，约 {time}' },
  builds: {
    en: 'building {programs} from source, about {time} on {cores}',
    zh: '将从源码构建 {programs}，在 {cores}上约需 {time}',
  },
  wouldBuild: {
    en: 'would build {programs} from source, about {time} on {cores}',
    zh: '实际运行时会从源码构建 {programs}，在 {cores}上约需 {time}',
  },
  buildProgress: {
    en: 'builds: {built} of {programs}, {share} %, about {time} left',
    zh: '构建：{built} / {programs}，{share}%，约剩 {time}',
  },
  dryRun: { en: 'dry run: ', zh: '试运行：' },
  resumed: { en: 'resumed: ', zh: '恢复运行：' },
  connected: { en: '{host}: connected ({time})', zh: '{host}：已连接（{time}）' },
  ofHost: { en: '{host}: {error}', zh: '{host}：{error}' },
  started: { en: '{node}: started: {title}', zh: '{node}：开始：{title}' },
  attached: { en: '{node}: already running on the host, waiting for it', zh: '{node}：已在主机上运行，等待其结束' },
  progress: { en: '{node}: {done} of {total}', zh: '{node}：{done} / {total}' },
  line: { en: '{node}: {line}', zh: '{node}：{line}' },
  output: { en: '{node}: exit code {code}', zh: '{node}：退出码 {code}' },
  left: { en: '{host}: {text}', zh: '{host}：{text}' },
  retry: {
    en: '{node}: attempt {attempt} in {delay} s: {reason}',
    zh: '{node}：{delay} 秒后进行第 {attempt} 次尝试：{reason}',
  },
  finished: { en: '{node}: {outcome} ({time})', zh: '{node}：{outcome}（{time}）' },
  taskOk: { en: '{task}: done ({time})', zh: '{task}：完成（{time}）' },
  taskFailed: { en: '{task}: failed ({time})', zh: '{task}：失败（{time}）' },
  rollback: { en: '{task}: rolling back {steps} on {host}', zh: '{task}：正在 {host} 上回滚 {steps}' },
  finalizers: { en: 'cleaning up: {steps}', zh: '正在清理：{steps}' },
  warning: { en: 'warning: {error}', zh: '警告：{error}' },
  runFinished: {
    en: '{pipeline} {cluster}: {outcome} after {time}',
    zh: '{pipeline} {cluster}：{outcome}，用时 {time}',
  },
  count: { en: '{count} {outcome}', zh: '{outcome} {count}' },
  lostHosts: { en: 'lost hosts: {hosts}', zh: '失去联系的主机：{hosts}' },
  resumable: { en: 'go on with --resume', zh: '可使用 --resume 继续' },
  heartbeat: {
    en: '… {done} of {steps}, {time}; running: {running}',
    zh: '… 已完成 {done} / {steps}，{time}；正在运行：{running}',
  },
  heartbeatIdle: { en: '… {done} of {steps}, {time}', zh: '… 已完成 {done} / {steps}，{time}' },
  step: { en: '1 step', zh: '1 个步骤' },
  steps: { en: '{n} steps', zh: '{n} 个步骤' },
  host: { en: '1 host', zh: '1 台主机' },
  hosts: { en: '{n} hosts', zh: '{n} 台主机' },
  program: { en: '1 program', zh: '1 个程序' },
  programs: { en: '{n} programs', zh: '{n} 个程序' },
  core: { en: '1 core', zh: '1 个核' },
  cores: { en: '{n} cores', zh: '{n} 个核' },
  because: { en: '{what}: {why}', zh: '{what}：{why}' },
  more: { en: '{names} and {count} more', zh: '{names} 等，另有 {count} 个' },
  list: { en: ', ', zh: '，' },
  milliseconds: { en: '{n} ms', zh: '{n} 毫秒' },
  seconds: { en: '{n} s', zh: '{n} 秒' },
  minutes: { en: '{n} min', zh: '{n} 分' },
  hours: { en: '{n} h', zh: '{n} 小时' },
} as const satisfies Record<string, Text>;

/** How a node's end is called. */
export const outcomeTexts: Readonly<Record<Outcome, Text>> = {
  satisfied: { en: 'satisfied', zh: '已满足' },
  changed: { en: 'changed', zh: '已更改' },
  ran: { en: 'ran', zh: '已执行' },
  superseded: { en: 'superseded', zh: '已被取代' },
  'would-change': { en: 'would change', zh: '将会更改' },
  'would-run': { en: 'would run', zh: '将会执行' },
  failed: { en: 'failed', zh: '失败' },
  skipped: { en: 'skipped', zh: '已跳过' },
  unknown: { en: 'unknown', zh: '未知' },
  reverted: { en: 'reverted', zh: '已回滚' },
  dirty: { en: 'dirty', zh: '半更改' },
};

/** How a run's end is called. */
export const runOutcomeTexts: Readonly<Record<RunOutcome, Text>> = {
  succeeded: { en: 'succeeded', zh: '成功' },
  failed: { en: 'failed', zh: '失败' },
  partial: { en: 'partly done', zh: '部分完成' },
  interrupted: { en: 'interrupted', zh: '已中断' },
};

/** A text of the table with its parameters. */
export function say(
  name: keyof typeof texts,
  lang: Lang,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return fillText(texts[name][lang], params);
}

/** `1 step`, `12 steps`. */
export function stepsText(n: number, lang: Lang): string {
  return say(n === 1 ? 'step' : 'steps', lang, { n });
}

/** `1 host`, `3 hosts`. */
export function hostsText(n: number, lang: Lang): string {
  return say(n === 1 ? 'host' : 'hosts', lang, { n });
}

/** A duration for people: `45 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`. */
export function durationText(ms: number, lang: Lang): string {
  if (ms < 1000) return say('milliseconds', lang, { n: Math.round(ms) });
  if (ms < 9_950) return say('seconds', lang, { n: (ms / 1000).toFixed(1) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return say('seconds', lang, { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(say('minutes', lang, { n: minutes }), seconds % 60, 'seconds', lang);
  return pair(say('hours', lang, { n: Math.floor(minutes / 60) }), minutes % 60, 'minutes', lang);
}

/** A guess: nobody knows seconds of minutes. */
export function guessText(seconds: number, lang: Lang): string {
  const rounded = seconds < 90 ? Math.max(10, Math.ceil(seconds / 10) * 10) : Math.ceil(seconds / 60) * 60;
  return durationText(rounded * 1000, lang);
}

function pair(first: string, rest: number, unit: 'seconds' | 'minutes', lang: Lang): string {
  return rest === 0 ? first : `${first} ${say(unit, lang, { n: rest })}`;
}
