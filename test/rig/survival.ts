import { test as everyTest, expect } from 'vitest';
import type { Machine, Output } from '../../src/model/host.ts';
import { LEFT_CODE } from '../../src/model/report.ts';
import { rawScript, sh } from '../../src/model/script.ts';
import type { TurnTest } from './posix-shells.ts';

/** Tests that whatever a command does, the shell and the next command are not touched. For any machine. */
export function survivesEverything(machine: () => Machine, test: TurnTest = everyTest): void {
  const run = (script: string, maxBytes?: number): Promise<Output> =>
    machine().run(rawScript(script), { timeoutSeconds: 20, ...(maxBytes !== undefined && { maxBytes }) });
  /** The state of the shell as a fresh command sees it. */
  const fresh = async (): Promise<string> => {
    const { code, stdout, stderr } = await run('pwd; umask; echo "[$LEAK]"; trap; echo "$#"; echo $-; alias');
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  test('binary output comes back byte by byte', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const octal = [...all].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
    const { bytes, code } = await run(`printf '%b' '${octal}${octal}'`);
    expect(code).toBe(0);
    expect(Buffer.from(bytes)).toEqual(Buffer.concat([all, all]));
  });

  test('scripts may hold any character', async () => {
    const text = `'"\\$\`!*?~#&|<>(){}[];\t${'äöü漢字😀'}${String.fromCharCode(0x81, 0x84, 0x88)}\nsecond line`;
    expect((await machine().run(sh`printf %s ${text}`)).stdout).toBe(text);
  });

  test('what is printed is capped and says so; both streams are kept apart', async () => {
    const output = await run('echo out; echo err >&2; exit 3');
    expect(output).toMatchObject({ code: 3, stdout: 'out\n', stderr: 'err\n', truncated: false });
    expect(await run('printf 12345', 5)).toMatchObject({ stdout: '12345', truncated: false });
    expect(await run('printf 123456', 5)).toMatchObject({ stdout: '12345', truncated: true });
    expect(await run('printf 123456 >&2', 5)).toMatchObject({ stderr: '12345', truncated: true });
  });

  test('what is reported comes typed beside both streams, also out of subshells and pipes', async () => {
    const output = await run(
      "echo out; kx_report left 'one\ntwo'; echo x | while read -r x; do kx_report left $x; done; exit 3",
    );
    expect(output).toMatchObject({ code: 3, stdout: 'out\n', stderr: '' });
    expect(output.reports).toEqual([
      { type: 'left', text: 'one two' },
      { type: 'left', text: 'x' },
    ]);
    const left = await run('(kx_leave "it is not ours"); kx_report other x; exit $?');
    expect(left).toMatchObject({ code: 0, stderr: 'it is not ours\n', reports: [{ text: 'it is not ours' }] });
    expect(await run('kx_leave "it is not ours"; echo not reached')).toMatchObject({ code: LEFT_CODE, stdout: '' });
    expect(await run('echo left me')).not.toHaveProperty('reports');
  });

  test('100 MB of output', async () => {
    const [big, next] = await Promise.all([run('head -c 100000000 /dev/zero'), run('echo next')]);
    expect(big).toMatchObject({ code: 0, truncated: true });
    expect(big.bytes).toHaveLength(1024 * 1024);
    expect(next.stdout).toBe('next\n');
  });

  const changes: readonly (readonly [string, string, number | 'any'])[] = [
    ['exit', 'exit 7', 7],
    ['a kill of $$', 'kill $$; kill -HUP $$; kill -INT $$; exit 7', 7],
    ['exec', 'exec sh -c "exit 7"', 7],
    ['set -e', 'set -e; (exit 7); echo not reached', 7],
    ['set -u, -f, -x', 'set -ufx; exit 7', 7],
    ['a trap', 'trap "exit 7" EXIT; trap "" TERM', 7],
    ['cd, umask, variables', 'cd /tmp; umask 0; LEAK=1; export LEAK; set a b c; exit 7', 7],
    ['functions and aliases', 'kx_call() { echo no; }; alias printf=false; exit 7', 7],
    ['closed and redirected descriptors', 'exec >&- 2>&- <&-; exit 7', 7],
    ['return and break', 'return 7', 7],
    ['a syntax error', 'if then fi', 2],
    ['an open quote', "echo 'never closed", 2],
    ['a command that is not there', 'kx-no-such-command', 127],
    ['nothing at all', '', 0],
    ['a readonly variable', 'readonly PATH; PATH=/; exit 9', 'any'],
  ];
  for (const [name, script, code] of changes) {
    test(`${name} stays inside`, async () => {
      const before = await fresh();
      const output = await run(script);
      if (code !== 'any') expect(output.code).toBe(code);
      expect(await fresh()).toBe(before);
      expect((await run('echo still; true')).stdout).toBe('still\n');
    });
  }

  test('commands that read stdin get nothing, and eat no later command', async () => {
    const outputs = await Promise.all([run('cat; read -r x; echo "[$x]"'), run('echo second'), run('echo third')]);
    expect(outputs.map((output) => output.stdout)).toEqual(['[]\n', 'second\n', 'third\n']);
  });

  test('background children neither hold the answer nor speak into the next one', async () => {
    const [go, spoke] = ['go', 'spoke'].map((name) => `/tmp/kx-${name}-${process.pid}-${Date.now()}`);
    const until = (file: string | undefined) => `for i in $(seq 500); do [ ! -e ${file} ] || break; sleep 0.02; done`;
    // Whatever reads its words may be gone: it goes on all the same.
    const child = `${until(go)}; (echo late); (echo late >&2); : >${spoke}`;
    // It waits for what only the next command does: the answer cannot have waited for it.
    const first = await run(`(${child}) & echo now`);
    expect(first).toMatchObject({ stdout: 'now\n', stderr: '' });
    const later = await run(`: >${go}; ${until(spoke)}; rm ${go} ${spoke} && echo mine`);
    expect(later).toMatchObject({ code: 0, stdout: 'mine\n', stderr: '' });
  });

  test('a command that removes the shell’s own directory', async () => {
    const { runDir } = machine() as Machine & { runDir: string };
    const remove = machine().run(sh`rm -rf ${runDir}`);
    const next = run('echo still');
    await expect(remove).rejects.toMatchObject({ code: 'KX3031' });
    expect((await next).stdout).toBe('still\n');
  });

  test('answers come in order, however many are under way', async () => {
    const numbers = Array.from({ length: 120 }, (_, i) => i);
    const outputs = await Promise.all(numbers.map((n) => run(`echo ${n}; exit ${n % 7}`)));
    expect(outputs.map((output) => [output.stdout, output.code])).toEqual(numbers.map((n) => [`${n}\n`, n % 7]));
  });

  test('a batch keeps its probes apart', async () => {
    const scripts = ['echo a; exit 1', 'exit', 'echo c >&2', 'printf "\\000"', 'x=1; cd /tmp', 'echo "[$x]"; pwd'];
    const outputs = await machine().batch(scripts.map(rawScript));
    expect(outputs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
      [1, 'a\n', ''],
      [0, '', ''],
      [0, '', 'c\n'],
      [0, '\0', ''],
      [0, '', ''],
      [0, '[]\n/\n', ''],
    ]);
    expect(await machine().batch([])).toEqual([]);
  });

  test('a timeout kills the whole tree, and only that command', async () => {
    const mark = `kx-sleep-${process.pid}-${Math.random().toString(36).slice(2)}`;
    const script = `exec 5>/dev/null; (sh -c 'sleep 51; : ${mark}' & sh -c 'sleep 52; : ${mark}'; : ${mark}); sleep 53`;
    const slow = machine().run(rawScript(script), { timeoutSeconds: 0.3 });
    const next = run('echo next');
    await expect(slow).rejects.toMatchObject({ code: 'KX3030' });
    expect((await next).stdout).toBe('next\n');
    const left = await run(
      `sleep 0.1; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '[s]leep 5[123]; : ${mark}'`,
    );
    expect(left.stdout).toBe('0\n');
  });

  test('an abort stops what runs, and what has not begun never runs', async () => {
    const file = `/tmp/kx-abort-${process.pid}-${Date.now()}`;
    const abort = new AbortController();
    const first = machine().run(sh`sleep 54`, { signal: abort.signal });
    const second = machine().run(sh`touch ${file}`, { signal: abort.signal });
    const third = run('echo third');
    setTimeout(() => abort.abort(new Error('enough')), 100);
    await expect(first).rejects.toThrow('enough');
    await expect(second).rejects.toThrow('enough');
    expect((await third).stdout).toBe('third\n');
    expect((await machine().run(sh`test -e ${file}`)).code).toBe(1);
  });

  test('a command that kills its shell gets an error; the others are not lost', async () => {
    const before = run('sleep 0.1; echo before');
    const killer = run('kill -9 $$; sleep 1');
    const after = run('echo after');
    const probe = machine().batch([sh`echo probe`]);
    expect((await before).stdout).toBe('before\n');
    await expect(killer).rejects.toMatchObject({ code: 'KX3031' });
    expect((await after).stdout).toBe('after\n');
    expect((await probe)[0]?.stdout).toBe('probe\n');
  });

  test('a probe that kills its shell is not asked for ever', async () => {
    await expect(machine().batch([rawScript('kill -9 $$; sleep 1')])).rejects.toMatchObject({ code: 'KX3031' });
    expect((await run('echo still')).stdout).toBe('still\n');
  });
}
