import { printable } from '../../model/text/printable.ts';
import { cutText, padText, textWidth } from '../../model/text/width.ts';
import { bytesText, durationText, elapsedText } from '../output/duration.ts';
import { type Span, span } from '../output/line.ts';
import { countText } from '../texts/index.ts';
import type { Drawing, Row } from './drawing.ts';
import type { RunningStep, StepProgress, TaskState, ViewState } from './state.ts';

/** The tasks in so many lines: what has ended in short, what is under way with its running steps. */
export function taskLines(state: ViewState, room: number, drawing: Drawing): Row[] {
  const all = [...state.tasks.values()];
  const ended = all.filter((task) => isOver(task, state));
  const active = all.filter((task) => !isOver(task, state));
  const steps = stepsByTask(state);
  const shown = active.length <= room ? active : busiest(active, room - 1);
  const hidden = active.length - shown.length;
  const names = Math.min(
    32,
    [...ended, ...shown].reduce((most, task) => Math.max(most, textWidth(task.id)), 12),
  );

  let left = room - shown.length - (hidden > 0 ? 1 : 0);
  const details = new Map<string, Row[]>();
  // The tasks share the lines that are left; one that needs fewer leaves them to the others.
  const byNeed = [...shown].sort((a, b) => (steps.get(a.id)?.length ?? 0) - (steps.get(b.id)?.length ?? 0));
  byNeed.forEach((task, i) => {
    const rows = stepRows(steps.get(task.id) ?? [], Math.floor(left / (byNeed.length - i)), drawing);
    details.set(task.id, rows);
    left -= rows.length;
  });

  return [
    ...endedRows(ended, left, names, drawing),
    ...shown.flatMap((task) => [activeRow(task, names, drawing), ...(details.get(task.id) ?? [])]),
    ...(hidden > 0 ? [{ left: [span(`  ${drawing.say('moreTasks', { n: hidden })}`, 'dim')] }] : []),
  ];
}

const byName = new Intl.Collator('en', { numeric: true });

function isOver(task: TaskState, state: ViewState): boolean {
  return (task.ended !== undefined && task.running === 0) || state.ended !== undefined;
}

function busiest(active: readonly TaskState[], most: number): TaskState[] {
  const chosen = new Set(
    [...active].sort((a, b) => b.running - a.running || a.since - b.since).slice(0, Math.max(0, most)),
  );
  return active.filter((task) => chosen.has(task));
}

function stepsByTask(state: ViewState): ReadonlyMap<string, RunningStep[]> {
  const byTask = new Map<string, RunningStep[]>();
  for (const step of state.running.values()) {
    const list = byTask.get(step.task);
    if (list) list.push(step);
    else byTask.set(step.task, [step]);
  }
  return byTask;
}

function endedRows(ended: readonly TaskState[], room: number, names: number, drawing: Drawing): Row[] {
  if (ended.length === 0 || room <= 0) return [];
  const one = (task: TaskState): Row => {
    const good = task.ended?.outcome !== 'failed' && task.failedHosts === 0;
    const sign = span(good ? drawing.signs.done : drawing.signs.failed, good ? 'green' : 'boldRed');
    const time = task.ended ? durationText(task.ended.durationMs, drawing.say) : '';
    return { left: [sign, ...nameAndCounts(task, names, drawing)], right: [span(time, 'dim')] };
  };
  if (ended.length <= room) return ended.map(one);
  const hidden = ended.length - (room - 1);
  const collapsed: Row = {
    left: [span(drawing.signs.done, 'green'), span(` ${drawing.say('tasksDone', { n: hidden })}`, 'dim')],
  };
  return [collapsed, ...ended.slice(hidden).map(one)];
}

function activeRow(task: TaskState, names: number, drawing: Drawing): Row {
  const { signs, say, now } = drawing;
  const undoing = task.rollingBack.length > 0;
  const sign = undoing
    ? span(signs.undoing, 'yellow')
    : task.running > 0
      ? span(signs.running, 'cyan')
      : span(signs.waiting, 'dim');
  const right = [span(elapsedText(now - task.since, say), 'dim')];
  return { left: [sign, ...nameAndCounts(task, names, drawing)], right };
}

function nameAndCounts(task: TaskState, names: number, { say, signs }: Drawing): Span[] {
  const parts = [countText(say, 'step', task.done)];
  // A task of the local machine alone has none.
  if (task.hosts.size > 0) parts.unshift(countText(say, 'host', task.hosts.size));
  if (task.changed > 0) parts.push(say('changedCount', { n: task.changed }));
  const bad: Span[] = [];
  if (task.failedHosts > 0)
    bad.push(span(` ${signs.dot} ${say('failedOn', { hosts: countText(say, 'host', task.failedHosts) })}`, 'red'));
  if (task.rollingBack.length > 0)
    bad.push(span(` ${signs.dot} ${say('rolledBack', { hosts: someHosts(task.rollingBack) })}`, 'yellow'));
  const name = padText(cutText(printable(task.id), names), names);
  return [span(` ${name}  `), span(parts.join(` ${signs.dot} `), 'dim'), ...bad];
}

/** Running steps one by one, or one line for the many hosts that are at the same step. */
function stepRows(steps: readonly RunningStep[], room: number, drawing: Drawing): Row[] {
  if (room <= 0 || steps.length === 0) return [];
  if (steps.length <= Math.min(room, 4)) {
    const names = Math.min(
      24,
      steps.reduce((most, one) => Math.max(most, textWidth(one.host)), 0),
    );
    // In the order of their names they do not jump when one ends and another begins.
    return [...steps].sort((a, b) => byName.compare(a.node, b.node)).map((step) => stepRow(step, names, drawing));
  }
  const groups = [...Map.groupBy(steps, (step) => step.step).values()].sort((a, b) => b.length - a.length);
  const shown = groups.length <= room ? groups : groups.slice(0, Math.max(0, room - 1));
  const rest = groups.slice(shown.length).reduce((sum, group) => sum + group.length, 0);
  const rows = shown.map((group) => groupRow(group, drawing));
  return rest === 0 ? rows : [...rows, { left: [span(`    ${drawing.say('moreSteps', { n: rest })}`, 'dim')] }];
}

function stepRow(step: RunningStep, names: number, { say, now, signs }: Drawing): Row {
  const left = [span(`    ${padText(cutText(step.host, names), names)}  `, 'blue'), span(printable(step.title))];
  const note = noteOf(step, now, say);
  if (note !== '') left.push(span(`  ${signs.dot} ${printable(note)}`, 'dim'));
  const amount = isCounted(step.progress) ? `${amountText(step.progress)}${rateText(step.progress, now)}  ` : '';
  return { left, right: [span(amount), span(elapsedText(now - step.since, say), 'dim')] };
}

function groupRow(group: readonly RunningStep[], { say, now }: Drawing): Row {
  const oldest = group.reduce((since, one) => Math.min(since, one.since), now);
  const counted = group.flatMap(({ progress }) => (isCounted(progress) ? [progress] : []));
  const totals = counted.reduce((sum, { total }) => sum + (total ?? 0), 0);
  const done = counted.reduce((sum, one) => sum + one.done, 0);
  const amount = totals > 0 ? `${amountText({ done, total: totals })}  ` : '';
  const hosts = `${countText(say, 'host', group.length)}: ${someHosts(group.map((one) => one.host))}`;
  const left = [span(`    ${printable(group[0]?.step ?? '')}`), span(`  ${hosts}`, 'blue')];
  return { left, right: [span(amount), span(elapsedText(now - oldest, say), 'dim')] };
}

function noteOf(step: RunningStep, now: number, say: Drawing['say']): string {
  if (step.attempt && step.attempt.at > now) {
    const seconds = Math.ceil((step.attempt.at - now) / 1000);
    return say('retryIn', { attempt: step.attempt.number, seconds, reason: step.attempt.reason });
  }
  return step.line ?? '';
}

/** A running step in one line, for where there is no picture: what it is at, and how far. */
export function runningText({ node, line, progress }: RunningStep): string {
  const parts = [
    ...(line === undefined ? [] : [printable(line)]),
    ...(isCounted(progress) ? [amountText(progress)] : []),
  ];
  return parts.length === 0 ? node : `${node} (${parts.join(', ')})`;
}

/** Bytes are shown step by step. Parts are those of builds, which have one bar together. */
function isCounted(progress: StepProgress | undefined): progress is StepProgress {
  return progress !== undefined && progress.unit !== 'parts';
}

function amountText({ done, total }: Pick<StepProgress, 'done' | 'total'>): string {
  if (total === undefined || total <= 0) return bytesText(done);
  return `${bytesText(done)} / ${bytesText(total)}  ${Math.floor((Math.min(done, total) / total) * 100)} %`;
}

/** Bytes in a second since they have been counted; too little time says nothing. */
function rateText({ done, first }: StepProgress, now: number): string {
  const seconds = (now - first.at) / 1000;
  if (seconds < 1 || done <= first.done) return '';
  return `  ${bytesText((done - first.done) / seconds)}/s`;
}

function someHosts(hosts: readonly string[]): string {
  return hosts.length <= 3 ? hosts.join(', ') : `${hosts.slice(0, 3).join(', ')} …`;
}
