import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localMachine } from '../../src/host/index.ts';
import { fieldOf } from '../../src/plan/step.ts';
import * as generic from '../../src/step/generic/index.ts';
import { Bench, check, io, perform, scratch } from './bench.ts';
import { BINARY, digestOf, ODD } from './case.ts';

const bench = new Bench(scratch('actions'));

test('every action has a test here or beside its code', () => {
  const actions = generic.genericSteps.filter((step) => fieldOf(step.nature, step.example, 'state') !== 'state');
  const beside = ['message', 'reboot', 'rebootIfNeeded', 'reportTable', 'sleep', 'userInput'];
  const here = ['checksum', 'command', 'fetch', 'gatherFacts', 'query', 'waitForCommand', 'waitForHttp', 'waitForPort'];
  expect(actions.map((step) => step.kind).sort()).toEqual([...beside, ...here].sort());
});

// Some wait: they do it at the same time.
describe.concurrent.each(bench.shells)('in $name', (variant) => {
  const inTurn = bench.inTurn(variant);

  inTurn('command: environment, directory, code and output', async () => {
    const dir = bench.dir('c');
    const want = {
      run: 'pwd; printf "%s|" "$A" "$B"; cat; exit 3',
      env: { A: 'x y\n"z"', B: "'" },
      cwd: dir,
      successCodes: [3],
    };
    const output = await perform(bench.host(variant), generic.command.definition, want);
    expect(generic.command.definition.result!(output, want)).toEqual({ code: 3, stdout: `${dir}\nx y\n"z"|'|` });
  });

  inTurn('query: a value that its check reads', async () => {
    const host = bench.host(variant);
    const path = join(bench.dir('query'), ODD);
    const want = { run: ['cat', path] };
    expect(await check(host, generic.query.definition, want)).toMatchObject({ verdict: 'needed' });
    writeFileSync(path, 'one\ntwo\n');
    expect(await check(host, generic.query.definition, want)).toEqual({
      verdict: 'satisfied',
      output: { code: 0, stdout: 'one\ntwo' },
    });
  });

  inTurn('command: words reach the command as they are', async () => {
    const words = ['a b', '$HOME', '', "it's", '*', ODD];
    const output = await perform(bench.host(variant), generic.command.definition, {
      run: ['printf', '<%s>', ...words],
    });
    expect(output.stdout).toBe(words.map((word) => `<${word}>`).join(''));
  });

  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'] as const)
    inTurn(`checksum: ${algorithm}`, async () => {
      const host = bench.host(variant);
      const path = join(bench.dir('sum'), ODD);
      const expected = spawnSync(`${algorithm}sum`, { input: BINARY }).stdout.toString().split(' ')[0];
      const want = { path, algorithm, expected };
      const step = generic.checksum.definition;
      expect(await check(host, step, want)).toMatchObject({ verdict: 'needed' });
      expect(await perform(host, step, want)).toMatchObject({ code: 1, stderr: `${path} does not exist\n` });
      writeFileSync(path, 'damaged');
      expect(await check(host, step, want)).toMatchObject({ verdict: 'needed' });
      const failed = await perform(host, step, want);
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(`instead of ${expected}: it is damaged`);
      writeFileSync(path, BINARY);
      expect(await perform(host, step, want)).toMatchObject({ code: 0 });
      expect(await check(host, step, want)).toEqual({
        verdict: 'satisfied',
        output: { path, sha256: digestOf(path), bytes: BINARY.length },
      });
    });

  inTurn('fetch: brings what the host has, again when it has changed', async () => {
    const host = bench.host(variant);
    const dir = bench.dir('fetch');
    const want = { path: join(dir, ODD), to: join(dir, 'kept', 'here', ODD) };
    const step = generic.fetch.definition;
    expect(await check(host, step, want)).toMatchObject({ verdict: 'needed' });
    for (const content of [BINARY, 'same length']) {
      writeFileSync(want.path, content);
      expect(await check(host, step, want)).toMatchObject({ verdict: 'needed' });
      await step.apply(host, want, io);
      expect(await check(host, step, want)).toEqual({
        verdict: 'satisfied',
        output: { path: want.to, sha256: digestOf(want.path) },
      });
    }
    expect(statSync(want.to).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'kept')).mode & 0o777).toBe(0o700);
  });

  inTurn('waitForCommand: until it succeeds', async () => {
    const host = bench.host(variant);
    const dir = bench.dir('wait');
    const want = {
      run: 'echo "try $$"; echo x >>tries; test "$(wc -l <tries)" -ge 4',
      cwd: dir,
      intervalSeconds: 1,
      timeoutSeconds: 10,
    };
    const step = generic.waitForCommand.definition;
    expect(await check(host, step, want)).toMatchObject({ verdict: 'needed', diff: [{ from: 'not yet' }] });
    expect(await perform(host, step, want)).toMatchObject({ code: 0 });
    expect(readFileSync(join(dir, 'tries'), 'utf8')).toBe('x\n'.repeat(4));
    expect(await check(host, step, want)).toMatchObject({
      verdict: 'satisfied',
      output: { stdout: expect.stringMatching(/^try \d+$/) as string },
    });
  });

  inTurn('waitForCommand: gives up and says what it saw', async () => {
    const want = { run: 'echo "not there: a"; exit 7', purpose: 'the thing', intervalSeconds: 1, timeoutSeconds: 1 };
    const output = await perform(bench.host(variant), generic.waitForCommand.definition, want);
    expect(output.code).toBe(1);
    expect(output.stderr).toBe('the thing is still not so after 1 s: exit code 7: not there: a\n');
  });
});

test('gatherFacts: gives what was read of the machine', async () => {
  const dir = bench.dir('facts');
  const machine = await localMachine({ stateDir: join(dir, 'state'), runDir: join(dir, 'run'), sudo: false });
  try {
    const facts = await generic.gatherFacts.definition.apply(machine, { facts: ['hostname', 'kernel'] }, io);
    expect(facts).toEqual({ hostname: hostname(), kernel: release() });
  } finally {
    await machine.close();
  }
});
