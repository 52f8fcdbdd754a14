import { describe, expect, test } from 'vitest';
import type { Text } from '../../model/errors/index.ts';
import type { Host } from '../../model/host.ts';
import { type ReportTable, tableText } from '../../model/text/table.ts';
import { textWidth } from '../../model/text/width.ts';
import { fieldOf, type Question, type StepIo } from '../../plan/step.ts';
import { message } from './message.ts';
import { reportTable } from './report-table.ts';
import { sleep } from './sleep.ts';
import { type UserInput, userInput } from './user-input.ts';

const host = { name: 'local' } as Host;

function person(
  answer: string,
): StepIo & { readonly said: (string | Text)[]; readonly asked: Question[]; readonly hidden: string[] } {
  const said: (string | Text)[] = [];
  const asked: Question[] = [];
  const hidden: string[] = [];
  return {
    said,
    asked,
    hidden,
    signal: new AbortController().signal,
    progress: () => undefined,
    line: () => undefined,
    sent: () => undefined,
    secret: () => undefined,
    report: () => undefined,
    say: (text) => void said.push(text),
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
    redact: (secret) => void hidden.push(secret),
  };
}

describe('message', () => {
  test('says it', async () => {
    const io = person('');
    await message.definition.apply(host, { text: 'two\nlines' }, io);
    expect(io.said).toEqual(['two\nlines']);
    expect(message.definition.title({ text: '\ntwo\nlines' })).toBe('message two');
  });
});

describe('reportTable', () => {
  test.each<[string, ReportTable, string]>([
    [
      'plain',
      {
        headers: ['host', 'ok'],
        rows: [
          ['node1', true],
          ['n2', null],
        ],
      },
      'host   ok\n─────  ────\nnode1  true\nn2     -',
    ],
    [
      'wide characters',
      {
        headers: ['主机', '状态'],
        rows: [
          ['节点一', '正常'],
          ['b', '🚀 up'],
          ['é', 'x'],
        ],
      },
      '主机    状态\n──────  ─────\n节点一  正常\nb       🚀 up\né       x',
    ],
    [
      'by name',
      { title: 'Kernels', headers: ['host', 'kernel'], rows: { n1: '6.1', n2: ['5.4', 'old'] } },
      'Kernels\nhost  kernel\n────  ──────  ───\nn1    6.1\nn2    5.4     old',
    ],
    ['several lines in a cell', { headers: ['a', 'b'], rows: [['1\n2', 'x']] }, 'a  b\n─  ─\n1  x\n2'],
    ['what could move the cursor', { headers: ['a'], rows: [['\u001b[2Jx\ty']] }, 'a\n──────\n[2Jx y'],
    ['no rows', { headers: ['a'], rows: [] }, 'a\n─'],
  ])('%s', (_name, want, text) => {
    expect(tableText(want)).toBe(text);
  });

  test('says it', async () => {
    const io = person('');
    await reportTable.definition.apply(host, { headers: ['a'], rows: [[1]] }, io);
    expect(io.said).toEqual(['a\n─\n1']);
  });

  test.each([
    ['abc', 3],
    ['é', 1],
    ['漢字', 4],
    ['한글', 4],
    ['ｶﾅ', 2],
    ['：', 2],
    ['👩‍👩‍👧', 2],
    ['✔️', 2],
    ['\u200b', 0],
    ['', 0],
  ])('%j is %i wide', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('userInput', () => {
  test.each(['y', 'YES', ' yes ', '是', 'true'])('%j confirms', async (answer) => {
    const io = person(answer);
    expect(await userInput.definition.apply(host, { question: 'Go on?' }, io)).toBe('yes');
    expect(io.asked).toEqual([{ text: 'Go on?', confirm: true, secret: false }]);
  });

  test.each(['', 'n', 'no', 'nyes', '否'])('%j declines', async (answer) => {
    await expect(userInput.definition.apply(host, { question: 'Go on?' }, person(answer))).rejects.toMatchObject({
      code: 'KX4013',
      params: { question: 'Go on?' },
    });
  });

  test('a text is given back', async () => {
    expect(await userInput.definition.apply(host, { question: 'Name?', type: 'text' }, person('  me '))).toBe('  me ');
  });

  test('a secret is minted and never shown', async () => {
    const want: UserInput = { question: 'Password?', type: 'text', secret: true };
    const io = person('s3cret');
    expect(await userInput.definition.apply(host, want, io)).toBe('s3cret');
    expect(io.hidden).toEqual(['s3cret']);
    expect(fieldOf(userInput.definition.nature, want, 'state')).toBe('mint');
    expect(fieldOf(userInput.definition.nature, { question: 'x' }, 'state')).toBe('action');
  });
});

describe('sleep', () => {
  test('waits, and stops when the run does', async () => {
    const started = performance.now();
    await sleep.definition.apply(host, { seconds: 0.05 }, person(''));
    expect(performance.now() - started).toBeGreaterThan(40);
    const stop = new AbortController();
    const waiting = sleep.definition.apply(host, { seconds: 60 }, { ...person(''), signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });
});
