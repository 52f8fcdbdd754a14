import { describe, expect, test } from 'vitest';
import { type Host, output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { fieldOf, type StepIo } from '../../plan/step.ts';
import { type CheckedCommand, type Command, checkedCommand, command } from './command.ts';

const host = {} as Host;
const io = {} as StepIo;
const scriptOf = (want: Command) => (command.definition.apply(host, want, io) as Script).script;

describe('command', () => {
  test.each<[string, Command, string]>([
    ['text as it is', { run: 'echo "$HOME" | wc -c' }, 'echo "$HOME" | wc -c'],
    ['words', { run: ['echo', "it's", '$HOME', ''] }, "'echo' 'it'\\''s' '$HOME' ''"],
    ['a first word that a shell would take for more', { run: ['a=b', 'if'] }, "'a=b' if"],
    [
      'environment and directory',
      { run: ['env'], env: { A: 'x y', B: '' }, cwd: '/tmp/a b' },
      "cd -- '/tmp/a b' || exit 1\nexport A='x y'\nexport B=''\n'env' ",
    ],
  ])('%s', (_name, want, script) => {
    expect(scriptOf(want)).toBe(script);
  });

  test.each<[string, Command, RegExp]>([
    ['no words', { run: [] }, /no name/],
    ['an odd variable', { run: 'x', env: { 'A;rm': '1' } }, /environment variable/],
    ['a relative directory', { run: 'x', cwd: 'tmp' }, /absolute/],
  ])('refuses %s', (_name, want, message) => {
    expect(() => scriptOf(want)).toThrow(message);
  });

  test('gives code and output', () => {
    expect(command.definition.result!(output(3, 'a\nb\n'), { run: 'x' })).toEqual({ code: 3, stdout: 'a\nb' });
  });

  test('is an action; a long one is a job with more time', () => {
    const { definition } = command;
    expect(definition.nature).toBe('action');
    expect(fieldOf(definition.job, { run: 'x', long: true }, false)).toBe(true);
    expect(fieldOf(definition.timeoutSeconds, { run: 'x', long: true }, 0)).toBe(1800);
    expect(fieldOf(definition.timeoutSeconds, { run: 'x' }, 0)).toBe(60);
    expect(fieldOf(definition.timeoutSeconds, { run: 'x', timeoutSeconds: 5 }, 0)).toBe(5);
    expect(definition.successCodes!({ run: 'x', successCodes: [0, 2] })).toEqual([0, 2]);
  });

  test('the title is short and has no line break', () => {
    expect(command.definition.title({ run: `one\n  two\n${'x'.repeat(200)}` })).toMatch(/^run one; two; x+…$/);
    expect(command.definition.title({ run: 'x', purpose: 'warm up' })).toBe('warm up');
  });

  test.each<[string, object, ReturnType<typeof output> | Error, boolean]>([
    ['a code', { onCodes: [75] }, output(75), true],
    ['another code', { onCodes: [75] }, output(1), false],
    ['stderr', { onOutput: 'temporar(y|ily)' }, output(1, '', 'is temporarily out'), true],
    ['stdout', { onOutput: '^retry$' }, output(1, 'retry'), true],
    ['an error of ours', { onCodes: [1], onOutput: '.' }, new Error('x'), false],
  ])('transient by %s', (_name, on, failure, transient) => {
    const retry = command.definition.retry!({ run: 'x', retry: { attempts: 3, delaySeconds: 1, ...on } });
    expect(retry).toMatchObject({ attempts: 3, delaySeconds: 1 });
    expect(retry?.transient(failure)).toBe(transient);
  });

  test('a retry of everything is refused', () => {
    expect(() => command.definition.retry!({ run: 'x', retry: { attempts: 9, delaySeconds: 1 } })).toThrow(
      'which failures pass',
    );
    expect(command.definition.retry!({ run: 'x' })).toBeUndefined();
  });
});

describe('checkedCommand', () => {
  const { judge, probe, revert, irreversible } = checkedCommand.definition;
  const want: CheckedCommand = { run: 'make it', check: 'is it', rollback: 'unmake it', env: { A: '1' } };

  test('the check sees the same environment', () => {
    expect(probe!(want).script).toBe('export A=1\nis it');
  });

  test('a path instead of a check', () => {
    expect(probe!({ run: 'x', creates: '/a b' }).script).toBe("[ -e '/a b' ] || [ -L '/a b' ]");
  });

  test.each<CheckedCommand>([{ run: 'x' }, { run: 'x', check: 'y', creates: '/z' }])('refuses %j', (bad) => {
    expect(() => probe!(bad)).toThrow('either check or creates');
  });

  test.each<[string, number, object]>([
    ['done', 0, { verdict: 'satisfied', output: { code: 0, stdout: 'v1' } }],
    ['not done', 1, { verdict: 'needed', seen: { code: 1 }, diff: [{ what: 'run', to: 'make it' }] }],
    ['no such tool yet', 127, { verdict: 'needed' }],
  ])('judge: %s', (_name, code, verdict) => {
    expect(judge!(output(code, 'v1\n'), want)).toMatchObject(verdict);
  });

  test('is undone by its rollback, or says why not', () => {
    expect((revert!(host, want, { code: 1 }) as Script).script).toBe('export A=1\nunmake it');
    expect(fieldOf(irreversible, want, 'x')).toBeUndefined();
    expect(fieldOf(irreversible, { run: 'x', check: 'y' }, undefined)).toContain('no rollback');
  });
});
