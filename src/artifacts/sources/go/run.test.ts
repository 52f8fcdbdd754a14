import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './run.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubexm-run-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const shell = (script: string, more: object = {}) =>
  run('sh', ['-c', script], {
    cwd: dir,
    env: { PATH: process.env['PATH'] ?? '' },
    signal: new AbortController().signal,
    ...more,
  });

/** One that has ended may stay in the list until somebody looks after it: that is none that lives. */
const alive = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** The process has written its id into a file. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(dir, file), 'utf8').catch(() => '');
    if (text.endsWith('\n')) return Number(text);
    await delay(20);
  }
}

/** Whether it is gone soon. */
async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 500 && alive(pid); i += 1) await delay(10);
  return !alive(pid);
}

// Some wait, so they do it at the same time.
describe.concurrent('run', () => {
  it('gives output, the last lines of stderr and the code, and tells of lines as they come', async () => {
    const lines: string[] = [];
    const ended = await shell('echo out; echo one >&2; echo two >&2; exit 3', {
      onLine: (line: string) => lines.push(line),
    });
    expect(ended).toEqual({ code: 3, stdout: 'out\n', tail: ['one', 'two'] });
    expect(lines).toEqual(['one', 'two']);
  });

  it('hands over input, and keeps only so many lines of so much length', async () => {
    expect((await shell('cat', { input: 'x' })).stdout).toBe('x');
    const { tail } = await shell(
      'i=0; while [ $i -lt 200 ]; do echo $i >&2; i=$((i+1)); done; head -c 9000 /dev/zero | tr "\\0" a >&2',
    );
    expect(tail).toHaveLength(60);
    expect(tail.at(-2)).toBe('199');
    expect(tail.at(-1)).toHaveLength(2000);
  });

  it('says that a program is not there', async () => {
    const options = { cwd: dir, env: {}, signal: new AbortController().signal };
    expect(await run('no-such-program', [], options)).toMatchObject({ code: 127, failure: 'missing' });
  });

  it('ends the whole group when it is aborted', async () => {
    const stop = new AbortController();
    const running = shell('sh -c "echo \\$\\$ > child; exec sleep 300" & wait', { signal: stop.signal });
    const pid = await pidIn('child');
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(await gone(pid)).toBe(true);
    await expect(shell('true', { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('leaves nobody behind who outlives the program', async () => {
    await shell(
      'sh -c "echo \\$\\$ > left; exec sleep 300" >/dev/null 2>&1 & while [ ! -s left ]; do sleep 0.05; done',
    );
    expect(await gone(await pidIn('left'))).toBe(true);
  });

  it('gives up on a program that waits for a server that says nothing', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    try {
      const began = Date.now();
      const ended = await run('curl', ['-s', `http://127.0.0.1:${port}/`], {
        cwd: dir,
        env: { PATH: process.env['PATH'] ?? '' },
        signal: new AbortController().signal,
        stallSeconds: 1,
      });
      expect(ended.failure).toBe('stalled');
      expect(Date.now() - began).toBeLessThan(10_000);
    } finally {
      server.close();
    }
  });

  it('waits for one that works without a word', async () => {
    const script =
      'i=0; while [ $i -lt 16 ]; do cat /proc/self/stat > /dev/null; read x < /proc/self/stat; sleep 0.1; i=$((i+1)); done';
    expect(await shell(script, { stallSeconds: 1 })).toMatchObject({ code: 0 });
  });
});
