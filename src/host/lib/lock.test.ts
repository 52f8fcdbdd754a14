import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';

inEveryShell('the lock', (shell, test) => {
  let dir: string;
  let run: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-lock-'));
    run = join(dir, 'run');
    await mkdir(join(run, 'jobs'), { recursive: true });
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const lines = async (script: string): Promise<readonly string[]> => {
    const { stdout, stderr } = await runWithLibrary(shell, script, { state: join(dir, 'state'), run });
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n');
  };
  /** A job of run r1 that was asked for so many seconds ago, and has not begun. */
  const asked = (seconds: number): string =>
    `mkdir -p "$KX_RUN/jobs/r1.a" && echo t >"$KX_RUN/jobs/r1.a/token" && kx_uptime && echo $((kx_up - ${seconds})) >"$KX_RUN/jobs/r1.a/since"`;
  /** Run r1 has the lock: its shell is gone, and it has not been heard of since the machine started. */
  const owned = async (): Promise<void> => {
    await writeFile(join(run, 'lock.owner'), `token1 r1\n999999 1 ${join(run, 'sh.gone')}\n{"run":"r1"}\n`);
    await writeFile(join(run, 'lock.beat'), '0\n');
  };
  /** Something of the old owner's still holds the lock for so long; then this run asks for it. */
  const takenBehind = (seconds: string): string => `flock "$KX_RUN/lock" sleep ${seconds} >/dev/null 2>&1 &
holder=$!
while flock -n "$KX_RUN/lock" true; do sleep 0.02; done
kx_lock_take token2 r2 0 '' '{"run":"r2"}'
kx_kill_tree $holder 2>/dev/null`;

  test('a job that is about to begin counts as running: the lock shows its holder', async () => {
    await owned();
    const [held, owner, job] = await lines(`${asked(3)}; kx_lock_show`);
    expect(held).toMatch(/^held token1 \d+ 999999$/);
    expect(owner).toBe('{"run":"r1"}');
    expect(job).toMatch(/^r1\.a [34]$/);
  });

  test('its lock cannot be taken, however silent the owner is', async () => {
    await owned();
    const [answer] = await lines(`${asked(3)}; kx_lock_take token2 r2 0 '' '{}'`);
    expect(answer).toMatch(/^job token1 /);
  });

  test('one that has not begun after half a minute never will', async () => {
    await owned();
    expect(await lines(`${asked(60)}; kx_lock_show`)).toHaveLength(2);
    expect((await lines(`${asked(60)}; kx_lock_take token2 r2 0 '' '{}'`))[0]).toMatch(/^taken /);
  });

  test('a shell that takes its time to die is waited for', async () => {
    await owned();
    expect((await lines(takenBehind('0.8')))[0]).toMatch(/^taken /);
  });

  test('one that does not die keeps the lock', async () => {
    await owned();
    expect((await lines(takenBehind('60')))[0]).toMatch(/^held token1 /);
  });
});
