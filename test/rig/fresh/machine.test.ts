import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enter, freshMachine } from './machine.ts';

const isMerged = lstatSync('/bin').isSymbolicLink();
const problem = process.getuid?.() !== 0 ? 'needs root' : isMerged ? undefined : 'needs programs below /usr only';
/** The programs of this machine. */
const PROGRAMS = { '/usr': '/usr' };

let dir: string;
let base: string;
let uses: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-fresh-'));
  base = join(dir, 'base');
  uses = join(dir, 'uses');
  for (const name of ['usr', 'proc', 'sys', 'dev', 'run']) mkdirSync(join(base, name), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(base, name));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mounts = () => readFileSync('/proc/self/mounts', 'utf8');

/** Process numbers in the namespace that the tests are in. */
function alive(marker: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  });
}

describe.skipIf(problem)(`a fresh machine${problem === undefined ? '' : ` (${problem})`}`, () => {
  it('has files and processes of its own, and leaves nothing behind', async () => {
    const before = mounts();
    {
      await using machine = await freshMachine(base, uses, PROGRAMS);
      writeFileSync(join(machine.sources, 'here'), 'from outside\n');
      const { code, output } = await machine.run(
        'cat /src/here; touch /fresh-only /tmp/x; (sleep 4711 >/dev/null 2>&1 &); ls -d /proc/[0-9]* | head -1; exit 3',
      );
      expect([code, output]).toEqual([3, 'from outside\n/proc/1\n']);
      expect((await machine.run('ls /fresh-only; ls -A /.outside')).output).toMatch(/^\/fresh-only\n.*No such file/);
      expect(existsSync('/fresh-only')).toBe(false);
      expect(mounts()).toBe(before);
    }
    await expect.poll(() => alive('sleep\u00004711')).toBe(false);
    expect(readdirSync(uses)).toEqual([]);
  });

  it('sees directories of this machine, and changes them for itself only', async () => {
    const artifacts = join(dir, 'artifacts');
    mkdirSync(artifacts);
    writeFileSync(join(artifacts, 'runc'), 'a program');
    await using machine = await freshMachine(base, uses, {
      ...PROGRAMS,
      [artifacts]: '/root/cache',
      [join(dir, 'none')]: '/none',
    });
    expect((await machine.run('cat /root/cache/runc; rm /root/cache/runc; ls /none')).output).toMatch(
      /^a program.*\/none/,
    );
    expect(readFileSync(join(artifacts, 'runc'), 'utf8')).toBe('a program');
  });

  it('ends a command that takes too long', async () => {
    await using machine = await freshMachine(base, uses, PROGRAMS);
    expect((await machine.run('exec sleep 4713', { timeoutMs: 200 })).code).toBeNull();
  });

  it('ends with the process that made it, however that ends; the next one removes its files', async () => {
    const module = fileURLToPath(new URL('./machine.ts', import.meta.url));
    const script = `import { freshMachine } from ${JSON.stringify(module)};
      const machine = await freshMachine(${JSON.stringify(base)}, ${JSON.stringify(uses)}, ${JSON.stringify(PROGRAMS)});
      await machine.run('(sleep 4712 >/dev/null 2>&1 &)');
      console.log('made');
      setInterval(() => undefined, 1000);`;
    const maker = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await new Promise((resolve, reject) =>
      maker.stdout.once('data', resolve).once('close', () => reject(new Error('it was not made'))),
    );
    expect(alive('sleep\u00004712')).toBe(true);
    const ended = once(maker, 'exit');
    maker.kill('SIGKILL');
    await ended;
    await expect.poll(() => alive('sleep\u00004712')).toBe(false);
    expect(readdirSync(uses)).toHaveLength(1);
    await using _ = await freshMachine(base, uses, PROGRAMS);
    expect(readdirSync(uses)).toHaveLength(1);
    expect(readdirSync(uses)[0]).toMatch(new RegExp(`^${process.pid}-`));
  });

  it('says why it cannot start', async () => {
    await expect(enter({ root: join(dir, 'empty') })).rejects.toThrow('did not start');
  });
});
