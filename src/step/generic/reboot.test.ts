import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Bench, io, scratch } from '../../../test/contract/bench.ts';
import { beginReboot, lookAfterReboot, parseBegun } from '../../host/os/reboot.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { type Host, type Output, output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { reboot, rebootIfNeeded } from './reboot.ts';

const want = { reason: 'a test', timeoutSeconds: 3 };
const BOOTS = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222'];

/** A machine of which only the answers matter, in order: each to a question that its text names. */
function machine(answers: readonly (readonly [RegExp, Output | Error])[]): Host & { readonly asked: string[] } {
  const rest = [...answers];
  const asked: string[] = [];
  const run = async (script: Script): Promise<Output> => {
    const kind = /\nkxr_(\w+)[^\n]*$/.exec(script.script)?.[1] ?? '';
    asked.push(kind);
    const [expected, answer] = rest.length > 1 ? rest.shift()! : rest[0]!;
    expect(kind).toMatch(expected);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { name: 'node1', run, asked } as unknown as Host & { readonly asked: string[] };
}

const cut = kubexmError('KX3011', { host: 'node1' });

// They wait, so they do it at the same time.
describe.concurrent('reboot', () => {
  test('asks, is cut off, finds another boot', async () => {
    const host = machine([
      [/begin/, output(0, `boot ${BOOTS[0]}\n`)],
      [/start/, cut],
      [/after/, cut],
      [/after/, output(0, 'same\n')],
      [/after/, output(0, 'new\n')],
      [/wait/, output(0)],
    ]);
    await reboot.definition.apply(host, { ...want, timeoutSeconds: 60 }, io);
    expect(host.asked).toEqual(['begin', 'start', 'after', 'after', 'after', 'wait']);
  });

  test('does not do again what has happened while nobody watched', async () => {
    const host = machine([
      [/begin/, output(0, 'done\n')],
      [/wait/, output(0)],
    ]);
    await reboot.definition.apply(host, want, io);
    expect(host.asked).toEqual(['begin', 'wait']);
  });

  test('is refused', async () => {
    const host = machine([
      [/begin/, output(0, `boot ${BOOTS[0]}\n`)],
      [/start/, output(1, '', 'Operation inhibited')],
      [/forget/, output(0)],
    ]);
    await expect(reboot.definition.apply(host, want, io)).rejects.toMatchObject({
      code: 'KX5201',
      params: { host: 'node1', reason: 'Operation inhibited' },
    });
  });

  test('does not begin', async () => {
    const host = machine([
      [/begin/, output(0, `boot ${BOOTS[0]}\n`)],
      [/start/, output(0)],
      [/after/, output(0, 'same\n')],
    ]);
    await expect(reboot.definition.apply(host, { ...want, timeoutSeconds: 2 }, io)).rejects.toMatchObject({
      code: 'KX5202',
    });
  });

  test('a machine that stays away is lost, not failed', async () => {
    const lost = kubexmError('KX3012', { host: 'node1', seconds: 60, reason: 'no answer' });
    const host = machine([
      [/begin/, output(0, `boot ${BOOTS[0]}\n`)],
      [/start/, output(0)],
      [/after/, lost],
    ]);
    await expect(reboot.definition.apply(host, want, io)).rejects.toBe(lost);
  });
});

test.each([
  ['boot 11111111-1111-1111-1111-111111111111\n', { boot: BOOTS[0] }],
  ['done\n', 'done'],
  ['', undefined],
  ['boot \n', undefined],
])('the answer %j', (stdout, begun) => {
  expect(parseBegun(stdout)).toEqual(begun);
});

test.each([
  ['', { verdict: 'satisfied' }],
  [
    '/run/reboot-required is there\n',
    { verdict: 'needed', diff: [{ what: 'restart', to: '/run/reboot-required is there' }] },
  ],
])('needed when the system says %j', (stdout, verdict) => {
  expect(rebootIfNeeded.definition.judge!(output(0, stdout), want)).toMatchObject(verdict);
});

const bench = new Bench(scratch('reboot'));

describe.each(bench.shells)('the note of a restart, in $name', (variant) => {
  test('is kept over a boot, told once, and gone then', async () => {
    const base = bench.dir('state');
    const host = bench.host(variant);
    const script = (text: Script): Script => ({ script: `KX_STATE=${base}/kubexm KX_RUN=${base}\n${text.script}` });
    const heldBy = (run: string): void => writeFileSync(join(base, 'lock.owner'), `token ${run}\n`);
    heldBy('run1');
    const first = await host.run(script(beginReboot('x')));
    const begun = parseBegun(first.stdout);
    expect(begun).toMatchObject({ boot: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
    expect(parseBegun((await host.run(script(beginReboot('x')))).stdout), 'asked twice in one boot').toEqual(begun);
    expect((await host.run(script(lookAfterReboot('x', (begun as { boot: string }).boot)))).stdout).toBe('same\n');
    const dir = join(base, 'kubexm/reboot');
    const [mark] = readdirSync(dir);
    const restarted = (run: string): void => writeFileSync(join(dir, mark!), `${BOOTS[0]} ${run}\n`);
    restarted('run1');
    heldBy('run2');
    expect((await host.run(script(beginReboot('x')))).stdout, 'a restart of another run').toMatch(/^boot /);
    restarted('');
    expect((await host.run(script(beginReboot('x')))).stdout, 'a restart of nobody').toMatch(/^boot /);
    restarted('run1');
    rmSync(join(base, 'lock.owner'));
    expect((await host.run(script(beginReboot('x')))).stdout, 'asked by nobody').toMatch(/^boot /);
    restarted('run1');
    heldBy('run1');
    expect((await host.run(script(beginReboot('y')))).stdout, 'another reason').toMatch(/^boot /);
    expect((await host.run(script(beginReboot('x')))).stdout).toBe('done\n');
    expect(readdirSync(dir)).toHaveLength(1);
    mkdirSync(join(base, 'kubexm/other'));
    expect((await host.run(script(lookAfterReboot('y', BOOTS[1]!)))).stdout).toBe('new\n');
    expect(readdirSync(join(base, 'kubexm'))).toEqual(['other']);
  });
});
