import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LockOwner, output } from '../../../src/model/host.ts';
import { rawScript, sh } from '../../../src/model/script.ts';
import { eventually } from '../engine.ts';
import { MemoryHost, MemoryMachine } from './memory.ts';

const run = async (script: string, values: Record<string, string> = {}) => {
  const host = new MemoryHost('a', { values });
  const { code, stdout, stderr } = await new MemoryMachine(host).run(rawScript(script));
  return { code, stdout, stderr, values: host.state.values };
};

describe('the commands', () => {
  test.each([
    ['kv get x', { code: 0, stdout: 'old\n' }],
    ['kv get nothing', { code: 1, stderr: 'no nothing\n' }],
    ['kv has x; kv has nothing', { code: 1 }],
    ["kv set x 'it'\\''s; a \"test\"'", { code: 0, values: { x: 'it\'s; a "test"' } }],
    ['kv add n 2\nkv add n 3', { code: 0, values: { x: 'old', n: '5' } }],
    ['kv del x', { code: 0, values: {} }],
    ['fail 7 no such thing\nkv set x new', { code: 7, stderr: 'no such thing\n', values: { x: 'old' } }],
    ['exit 3; kv set x new', { code: 3, values: { x: 'old' } }],
    ['false || echo or; true && echo and; false && echo not', { code: 1, stdout: 'or\nand\n' }],
    ['false || { echo one >&2; exit 9; }; echo two', { code: 9, stdout: '', stderr: 'one\n' }],
    ['# nothing\n: ; true', { code: 0, stdout: '' }],
    ['frobnicate', { code: 127, stderr: 'frobnicate: not found\n' }],
    ['kx_job_state k; printf %s "$kx_state"', { code: 0, stdout: 'absent' }],
  ])('%s', async (script, expected) => {
    expect(await run(script, { x: 'old' })).toMatchObject(expected);
  });

  test.each(['kv get x | cat', 'kv get $(x)', "kv get 'x", '{ true', 'true }', 'echo "x'])(
    '%s is refused, not guessed',
    async (script) => {
      await expect(run(script)).rejects.toThrow(SyntaxError);
    },
  );

  test('before-images: the first one wins, and puts back what was not there', async () => {
    const { values } = await run('kx_save r/k x y; kv set x 1; kv set y 1; kx_save r/k x y; kx_restore r/k', {
      x: 'old',
    });
    expect(values).toEqual({ x: 'old' });
    expect(await run('kx_restore r/none')).toMatchObject({ code: 96, stderr: 'no before-image r/none\n' });
    expect(await run('kx_save r/k x; kx_undo_drop r; kx_restore r/k')).toMatchObject({ code: 96 });
    expect(await run('kx_save r1/k x; kx_undo_drop r; kx_restore r1/k')).toMatchObject({ code: 0 });
  });

  test("one's own commands", async () => {
    const host = new MemoryHost('a', {
      commands: { hello: ([name = ''], at) => output(0, `${at.name} greets ${name}\n`) },
    });
    expect((await new MemoryMachine(host).run(sh`hello ${'you all'}`)).stdout).toBe('a greets you all\n');
  });
});

describe('the connection', () => {
  test('calls are answered in order; those made in one breath are one round trip', async () => {
    const machine = new MemoryMachine(new MemoryHost('a'), { latencyMs: 300 });
    const [, probes] = await Promise.all([machine.run(sh`kv set x 1`), machine.batch([sh`kv get x`, sh`kv get y`])]);
    expect(probes.map(({ stdout }) => stdout)).toEqual(['1\n', '']);
    expect(machine.trips).toBe(1);
    await machine.run(sh`:`);
    expect(machine.trips).toBe(2);
    expect(machine.sent.map(({ by }) => by)).toEqual(['run', 'batch', 'run']);
  });

  test.each([
    ['before', {}],
    ['during', { x: '1' }],
    ['after', { x: '1', y: '1' }],
  ] as const)('cut %s a command', async (when, values) => {
    const host = new MemoryHost('a');
    const machine = new MemoryMachine(host);
    machine.cut('kv set x', when);
    await expect(machine.run(sh`kv set x 1; kv set y 1`)).rejects.toMatchObject({ code: 'KX3011' });
    expect(host.state.values).toEqual(values);
    expect((await machine.run(sh`kv set x 2`)).code).toBe(0);
    machine.cut('kv get x');
    expect((await machine.batch([sh`kv get x`]))[0]!.stdout).toBe('2\n');
  });

  test('lost: current and later calls fail', async () => {
    const host = new MemoryHost('a');
    const machine = new MemoryMachine(host);
    const waiting = [
      machine.run(sh`hold on`),
      machine.batch([sh`:`]),
      machine.job({ key: 'k', script: sh`:`, timeoutSeconds: 9 }),
    ];
    await eventually(() => host.isHeld('on'));
    machine.lose();
    const all = await Promise.allSettled([...waiting, machine.run(sh`:`)]);
    expect(all).toMatchObject(Array.from({ length: 4 }, () => ({ status: 'rejected', reason: { code: 'KX3012' } })));
    const under = new MemoryMachine(host);
    under.lose('kv set x', 'after');
    await expect(under.run(sh`kv set x 1`)).rejects.toMatchObject({ code: 'KX3012' });
    expect(host.get('x')).toBe('1');
  });

  test('too long, and told to stop: the rest of the script is not run', async () => {
    const host = new MemoryHost('a');
    const machine = new MemoryMachine(host);
    await expect(machine.run(sh`hold a; kv set x 1`, { timeoutSeconds: 0.01 })).rejects.toMatchObject({
      code: 'KX3030',
    });
    const stop = new AbortController();
    const stopped = machine.run(sh`hold b; kv set x 1`, { signal: stop.signal });
    await eventually(() => host.isHeld('b'));
    stop.abort();
    await expect(stopped).rejects.toThrow(/abort/i);
    host.release('a');
    host.release('b');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(host.get('x')).toBeUndefined();
  });

  test('files are values', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'kubexm-memory-'));
    const machine = new MemoryMachine(new MemoryHost('a'));
    writeFileSync(join(dir, 'in'), 'text');
    await machine.put(join(dir, 'in'), '/etc/x');
    await machine.write('/etc/y', Buffer.from('more'));
    await machine.get('/etc/x', join(dir, 'out'));
    expect(readFileSync(join(dir, 'out'), 'utf8')).toBe('text');
    expect((await machine.run(sh`kv get /etc/y`)).stdout).toBe('more\n');
    await expect(machine.get('/nowhere', join(dir, 'out'))).rejects.toMatchObject({ code: 'KX3035' });
    rmSync(dir, { recursive: true });
  });
});

describe('jobs', () => {
  const job = (script: string) => ({ key: 'k', script: rawScript(script), timeoutSeconds: 5 });

  test('one key never starts twice, from any caller', async () => {
    const host = new MemoryHost('a');
    const first = new MemoryMachine(host).job(job('kv add n 1; hold h; echo done; fail 4 end'));
    await eventually(() => host.isHeld('h'));
    const other = new MemoryMachine(host);
    const second = other.job(job('kv add n 1'));
    await eventually(() => other.sent.length === 1);
    host.release('h');
    expect(await first).toMatchObject({ code: 4, stdout: 'done\n', stderr: 'end\n', attached: false });
    expect(await second).toMatchObject({ code: 4, attached: true });
    expect(host.get('n')).toBe('1');
    await new MemoryMachine(host).forgetJob('k');
    expect(host.state.jobs).toEqual({});
  });

  test('killed, timed out, told as they go', async () => {
    const host = new MemoryHost('a');
    const lines: string[] = [];
    const dying = new MemoryMachine(host).job({ ...job('echo one; hold h'), onLine: (line) => lines.push(line) });
    await eventually(() => host.isHeld('h'));
    host.set('wake', '1');
    await eventually(() => lines.length > 0);
    host.killJob('k');
    await expect(dying).rejects.toMatchObject({ code: 'KX3040' });
    expect(lines).toContain('one');
    host.forgetJob('k');
    await expect(new MemoryMachine(host).job({ ...job('hold h'), timeoutSeconds: 0.01 })).rejects.toMatchObject({
      code: 'KX3041',
    });
  });

  test('go on in another process, from the statement where this one died', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'kubexm-memory-'));
    const file = join(dir, 'state');
    const host = new MemoryHost('a', { file, values: { x: '0' } });
    host.startJob('k', 'kv add x 1\nhold h\nkv add x 10');
    await eventually(() => host.isHeld('h'));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ values: { x: '1' } });
    const later = new MemoryHost('a', { file });
    await eventually(() => !later.isRunning('k'));
    expect(later.state).toMatchObject({ values: { x: '11' }, jobs: { k: { code: 0 } } });
    rmSync(dir, { recursive: true });
  });
});

describe('the lock', () => {
  const owner = (name: string): LockOwner => ({
    run: name,
    cluster: 'c',
    pipeline: 'p',
    user: 'u',
    machine: 'm',
    pid: 1,
    since: 's',
  });

  test('one run at a time; a silent owner gives way unless a job of his lives', async () => {
    const host = new MemoryHost('a');
    const machine = new MemoryMachine(host);
    await machine.lock(owner('one'));
    await machine.lock(owner('one'));
    await expect(machine.lock(owner('two'))).rejects.toMatchObject({ code: 'KX3101', params: { run: 'one' } });
    host.state.lock!.silent = true;
    host.startJob('k', 'hold h');
    await expect(machine.lock(owner('two'))).rejects.toMatchObject({ code: 'KX3102', params: { job: 'k' } });
    host.release('h');
    await eventually(() => !host.isRunning('k'));
    await machine.lock(owner('two'));
    expect(host.state.lock?.owner.run).toBe('two');
    await machine.unlock();
    expect(host.state.lock).toBeUndefined();
    await machine.close();
  });
});
