import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localMachine } from '../../src/host/index.ts';
import type { Host, Output } from '../../src/model/host.ts';
import type { Script } from '../../src/model/script.ts';
import { type AnyStep, fieldOf, type StepIo, type Verdict } from '../../src/plan/step.ts';
import * as generic from '../../src/step/generic/index.ts';
import { BINARY, digestOf, ODD, root } from './cases.ts';
import { ShellHost, type Variant, variants } from './shell-host.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-actions-'));
const io: StepIo = {
  signal: new AbortController().signal,
  progress: () => undefined,
  say: () => undefined,
  ask: async () => 'yes',
  redact: () => undefined,
};
const shells = variants(base);

afterAll(() => rmSync(base, { recursive: true, force: true }));

async function check(host: Host, step: AnyStep, want: unknown): Promise<Verdict<unknown, unknown>> {
  return step.judge!(await host.run(step.probe!(want)), want);
}

async function perform(host: Host, step: AnyStep, want: unknown): Promise<Output> {
  return await host.run(step.apply(host, want, io) as Script);
}

/** A shell with nothing but these tools and the few that every machine has. */
function only(name: string, tools: readonly string[]): Variant {
  const path = mkdtempSync(join(base, 'tools-'));
  const basics = ['cat', 'date', 'grep', 'head', 'id', 'printf', 'sed', 'sh', 'sleep', 'tail'];
  for (const tool of [...basics, ...tools]) {
    const found = ['/usr/bin', '/bin', '/usr/sbin'].map((dir) => join(dir, tool)).find(existsSync);
    if (found !== undefined) symlinkSync(found, join(path, tool));
  }
  return { name, shell: ['/bin/sh'], path };
}

function hostOf(variant: Variant): ShellHost {
  return new ShellHost(variant, mkdtempSync(join(base, 'host-')));
}

function has(tool: string): boolean {
  return ['/usr/bin', '/bin', '/usr/sbin'].some((dir) => existsSync(join(dir, tool)));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('every action has a test here or beside its code', () => {
  const actions = generic.genericSteps.filter((step) => fieldOf(step.nature, step.example, 'state') !== 'state');
  const beside = ['message', 'reportTable', 'sleep', 'userInput'];
  const here = ['checksum', 'command', 'fetch', 'gatherFacts', 'waitForCommand', 'waitForHttp', 'waitForPort'];
  expect(actions.map((step) => step.kind).sort()).toEqual([...beside, ...here].sort());
});

describe.each(shells)('in $name', (variant) => {
  test('command: environment, directory, code and output', async () => {
    const dir = mkdtempSync(join(base, 'c-'));
    const want = {
      run: 'pwd; printf "%s|" "$A" "$B"; cat; exit 3',
      env: { A: 'x y\n"z"', B: "'" },
      cwd: dir,
      successCodes: [3],
    };
    const output = await perform(hostOf(variant), generic.command.definition, want);
    expect(generic.command.definition.result!(output, want)).toEqual({ code: 3, stdout: `${dir}\nx y\n"z"|'|` });
  });

  test('command: words reach the command as they are', async () => {
    const words = ['a b', '$HOME', '', "it's", '*', ODD];
    const output = await perform(hostOf(variant), generic.command.definition, { run: ['printf', '<%s>', ...words] });
    expect(output.stdout).toBe(words.map((word) => `<${word}>`).join(''));
  });

  test.each(['md5', 'sha1', 'sha256', 'sha512'] as const)('checksum: %s', async (algorithm) => {
    const host = hostOf(variant);
    const path = join(mkdtempSync(join(base, 'sum-')), ODD);
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

  test('fetch: brings what the host has, again when it has changed', async () => {
    const host = hostOf(variant);
    const dir = mkdtempSync(join(base, 'fetch-'));
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

  test('waitForCommand: until it succeeds', async () => {
    const host = hostOf(variant);
    const dir = mkdtempSync(join(base, 'wait-'));
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

  test('waitForCommand: gives up and says what it saw', async () => {
    const want = { run: 'echo "not there: a"; exit 7', purpose: 'the thing', intervalSeconds: 1, timeoutSeconds: 1 };
    const output = await perform(hostOf(variant), generic.waitForCommand.definition, want);
    expect(output.code).toBe(1);
    expect(output.stderr).toBe('the thing is still not so after 1 s: exit code 7: not there: a\n');
  });
});

test('gatherFacts: reads anew what is asked for', async () => {
  const dir = mkdtempSync(join(base, 'facts-'));
  const machine = await localMachine({ stateDir: join(dir, 'state'), runDir: join(dir, 'run') });
  try {
    const facts = await generic.gatherFacts.definition.apply(
      machine,
      { facts: ['hostname', 'kernel', 'timeOffsetMs'] },
      io,
    );
    expect(facts).toEqual({ hostname: hostname(), kernel: release(), timeOffsetMs: expect.any(Number) as number });
    expect(Math.abs((facts as { timeOffsetMs: number }).timeOffsetMs)).toBeLessThan(1000);
  } finally {
    await machine.close();
  }
});

describe('waitForPort', () => {
  const step = generic.waitForPort.definition;
  const ways = [
    only('nc', ['nc']),
    only('bash', ['bash', 'timeout']),
    only('python3', ['python3']),
    only('perl', ['perl']),
    only('curl', ['curl']),
    only('the kernel', []),
    ...shells.filter((shell) => shell.name === 'busybox'),
  ];
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    server = createHttp((_request, response) => void response.end('hello'));
    port = await listen(server);
  });
  afterAll(() => void server.close());

  test.each(ways.filter((way) => way.name === 'the kernel' || way.name === 'busybox' || has(way.name)))(
    'looks with $name',
    async (way) => {
      const host = hostOf(way);
      expect(await check(host, step, { port })).toMatchObject({ verdict: 'satisfied' });
      expect(await check(host, step, { port, closed: true })).toMatchObject({ verdict: 'needed' });
      expect(await check(host, step, { port: 1 })).toMatchObject({
        verdict: 'needed',
        diff: [{ what: '127.0.0.1:1 open' }],
      });
      expect(await check(host, step, { port: 1, closed: true })).toMatchObject({ verdict: 'satisfied' });
      const output = await perform(host, step, { port: 1, timeoutSeconds: 1, intervalSeconds: 1 });
      expect(output).toMatchObject({ code: 1, stderr: '127.0.0.1:1 open is still not so after 1 s: nobody answers\n' });
    },
  );

  test('says when there is nothing to look with', async () => {
    const host = hostOf(only('nothing', []));
    const want = { port, address: '192.0.2.1' };
    expect(await check(host, step, want)).toMatchObject({ verdict: 'needed', seen: { code: 90 } });
    expect(await perform(host, step, want)).toMatchObject({
      code: 90,
      stderr: expect.stringContaining('install one of nc, bash') as string,
    });
  });

  test('waits until somebody listens', async () => {
    const late = createHttp();
    const free = await listen(late);
    await new Promise((resolve) => late.close(resolve));
    const waiting = perform(hostOf(shells[0]!), step, { port: free, timeoutSeconds: 20, intervalSeconds: 1 });
    setTimeout(() => late.listen(free, '127.0.0.1'), 700);
    expect(await waiting).toMatchObject({ code: 0 });
    late.close();
  });

  test.each([0, 65536, 1.5])('refuses port %d', (bad) => {
    expect(() => step.probe!({ port: bad })).toThrow('no port');
  });

  test.each(['a b', '-x', '$(id)', ''])('refuses the address %j', (address) => {
    expect(() => step.probe!({ port: 1, address })).toThrow('no address');
  });
});

describe('waitForHttp', () => {
  const step = generic.waitForHttp.definition;
  const ways = [only('curl', ['curl']), only('python3', ['python3']), only('wget', ['wget'])].filter((way) =>
    has(way.name),
  );
  let plain: Server;
  let secure: ReturnType<typeof createHttps> | undefined;
  let url = '';
  let tls = '';
  const ca = join(base, 'ca.pem');

  beforeAll(async () => {
    const answer = (
      request: { url?: string | undefined },
      response: { writeHead(code: number, headers?: object): void; end(text: string): void },
    ) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' });
      else if (request.url === '/down') response.writeHead(503);
      else response.writeHead(200);
      response.end(request.url === '/down' ? 'sorry\n' : 'first\nok: "all" $good\n');
    };
    plain = createHttp(answer);
    url = `http://127.0.0.1:${await listen(plain)}`;
    const key = join(base, 'key.pem');
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      ca,
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ]);
    if (made.status !== 0) return;
    secure = createHttps({ key: readFileSync(key), cert: readFileSync(ca) }, answer);
    tls = `https://127.0.0.1:${await listen(secure)}`;
  });
  afterAll(() => {
    plain.close();
    secure?.close();
  });

  test.each(ways)('asks with $name', async (way) => {
    const host = hostOf(way);
    const verdict = async (want: object) => (await check(host, step, want)).verdict;
    expect(await verdict({ url })).toBe('satisfied');
    expect(await verdict({ url, body: '^ok: "all" [$]good$' })).toBe('satisfied');
    expect(await verdict({ url, body: 'nothing' })).toBe('needed');
    expect(await verdict({ url: `${url}/down` })).toBe('needed');
    expect(await verdict({ url: `${url}/down`, status: [200, 503] })).toBe('satisfied');
    expect(await verdict({ url: `${url}/down`, status: [503], body: '^sorry$' })).toBe('satisfied');
    expect(await verdict({ url: `${url}/moved` })).toBe('needed');
    expect(await verdict({ url: `${url}/moved`, status: [302] })).toBe('satisfied');
    expect(await verdict({ url: 'http://127.0.0.1:1/' })).toBe('needed');
    if (tls === '') return;
    expect(await verdict({ url: tls })).toBe('needed');
    expect(await verdict({ url: tls, insecure: true })).toBe('satisfied');
    expect(await verdict({ url: tls, caFile: ca })).toBe('satisfied');
  });

  test.runIf(shells.some((shell) => shell.name === 'busybox'))('asks with the wget of busybox', async () => {
    const host = hostOf(shells.find((shell) => shell.name === 'busybox')!);
    expect(await check(host, step, { url, body: '^ok' })).toMatchObject({ verdict: 'satisfied' });
    expect(await check(host, step, { url: `${url}/down` })).toMatchObject({ verdict: 'needed' });
    // It does not check certificates: then it must not be asked.
    if (tls !== '')
      expect(await check(host, step, { url: tls })).toMatchObject({ verdict: 'needed', seen: { code: 90 } });
  });

  test('says what came instead', async () => {
    const host = hostOf(shells[0]!);
    const down = await perform(host, step, { url: `${url}/down`, timeoutSeconds: 1, intervalSeconds: 1 });
    expect(down.stderr).toBe(`${url}/down is still not so after 1 s: status 503\n`);
    const nobody = await perform(host, step, { url: 'http://127.0.0.1:1/', timeoutSeconds: 0 });
    expect(nobody.stderr).toMatch(/after 0 s: no answer: .*(?:refused|connect)/i);
  });

  test('says when there is nothing to ask with', async () => {
    const output = await perform(hostOf(only('nothing', [])), step, { url });
    expect(output).toMatchObject({ code: 90, stderr: 'nothing to ask with: install curl, python3 or wget\n' });
  });

  test.each(['ftp://x/', 'nonsense', 'http://user:pass@x/'])('refuses %s', (bad) => {
    expect(() => step.probe!({ url: bad })).toThrow();
  });
});

describe.each(shells)('what cannot be done is said, in $name', (variant) => {
  const host = hostOf(variant);
  const dir = mkdtempSync(join(base, 'fail-'));
  mkdirSync(join(dir, 'd'));
  writeFileSync(join(dir, 'f'), 'keep');
  writeFileSync(join(dir, 'bad.tar.gz'), 'this is no archive');
  const pack = join(dir, 'pack');
  mkdirSync(join(pack, 'd'), { recursive: true });
  writeFileSync(join(pack, 'f'), 'new');
  writeFileSync(join(pack, 'd/x'), 'x'.repeat(200_000));
  spawnSync('tar', ['-czf', join(dir, 'good.tar.gz'), '-C', pack, '.']);
  const whole = readFileSync(join(dir, 'good.tar.gz'));
  writeFileSync(join(dir, 'cut.tar.gz'), whole.subarray(0, whole.length - 20));
  spawnSync('tar', ['-cPf', join(dir, 'evil.tar'), '--transform', 's,^f$,../../escaped,', '-C', pack, 'f']);
  const archive = (name: string, more: object = {}) => ({
    archive: join(dir, name),
    sha256: digestOf(join(dir, name)),
    dest: join(dir, 'd'),
    name: 'n',
    ...more,
  });

  test.each<[string, AnyStep, unknown, RegExp]>([
    ['a file over a directory', generic.file.definition, { path: join(dir, 'd'), content: '' }, /d is a directory/],
    [
      'a file nowhere',
      generic.file.definition,
      { path: join(dir, 'no/x'), content: '' },
      /no does not exist; a directory step/,
    ],
    [
      'an unknown owner',
      generic.file.definition,
      { path: join(dir, 'x'), content: '', owner: 'nobody-at-all' },
      /cannot set the owner/,
    ],
    ['a link over a directory', generic.symlink.definition, { path: join(dir, 'd'), target: 'x' }, /is a directory/],
    ['a directory over a file', generic.directory.definition, { path: join(dir, 'f') }, /not a directory/],
    ['a directory below a file', generic.directory.definition, { path: join(dir, 'f/x') }, /cannot make/],
    ['a mode of nothing', generic.mode.definition, { path: join(dir, 'no'), mode: '0644' }, /does not exist/],
    ['a copy of nothing', generic.copy.definition, { source: join(dir, 'no'), path: join(dir, 'x') }, /does not exist/],
    [
      'a copy of a directory over a file',
      generic.copy.definition,
      { source: join(dir, 'd'), path: join(dir, 'f') },
      /not a directory/,
    ],
    [
      'no archive',
      generic.extract.definition,
      { archive: join(dir, 'no.tar'), sha256: 'x', dest: join(dir, 'd'), name: 'n' },
      /does not exist/,
    ],
    [
      'another archive',
      generic.extract.definition,
      archive('good.tar.gz', { sha256: '0'.repeat(64) }),
      /instead of 0000/,
    ],
    ['a broken archive', generic.extract.definition, archive('bad.tar.gz'), /cannot unpack/],
    ['half an archive', generic.extract.definition, archive('cut.tar.gz'), /cannot unpack/],
    [
      'a member that is not there',
      generic.extract.definition,
      archive('good.tar.gz', { members: ['f', 'g'] }),
      /does not hold g/,
    ],
    [
      'no such directory',
      generic.extract.definition,
      archive('good.tar.gz', { dest: join(dir, 'no') }),
      /does not exist; a directory step/,
    ],
  ])('%s', async (_name, step, want, message) => {
    const output = await perform(host, step, want);
    expect(output.stderr).toMatch(message);
    expect(output.code).not.toBe(0);
    expect(readFileSync(join(dir, 'f'), 'utf8')).toBe('keep');
    expect(existsSync(join(dir, 'd/x'))).toBe(false);
    expect(spawnSync('find', [dir, '-name', '.kubexm*']).stdout.toString(), 'nothing is left lying about').toBe('');
  });

  test('an archive that reaches out of its directory', async () => {
    await perform(host, generic.extract.definition, archive('evil.tar'));
    expect(existsSync(join(dir, 'escaped'))).toBe(false);
    expect(existsSync(join(base, 'escaped'))).toBe(false);
  });
});

/** Mounts one directory of the test's own over another, or says that it may not. */
function mounted(from: string, over: string): boolean {
  return root && spawnSync('mount', ['--bind', from, over]).status === 0;
}

describe.each(shells)('mounts are respected, in $name', (variant) => {
  const host = hostOf(variant);

  test('a file that is a mount point is written through', async (context) => {
    const dir = mkdtempSync(join(base, 'mount-'));
    const [real, over] = [join(dir, 'real'), join(dir, 'hosts \\ü')];
    writeFileSync(real, 'old\n');
    writeFileSync(over, '');
    if (!mounted(real, over)) return context.skip();
    try {
      const want = { path: over, content: 'new\n', mode: '0640' };
      expect(await perform(host, generic.file.definition, want)).toMatchObject({ code: 0, stderr: '' });
      expect((await check(host, generic.file.definition, want)).verdict).toBe('satisfied');
      expect(readFileSync(real, 'utf8')).toBe('new\n');
    } finally {
      spawnSync('umount', [over]);
    }
  });

  test.for(['plain', 'a b\t\\134', ODD])('what is mounted below %j is never removed', async (name, context) => {
    const dir = mkdtempSync(join(base, 'mount-'));
    const [data, over] = [join(dir, 'data'), join(dir, name, 'deep')];
    mkdirSync(data);
    writeFileSync(join(data, 'precious'), 'x');
    mkdirSync(over, { recursive: true });
    if (!mounted(data, over)) return context.skip();
    try {
      const removed = await perform(host, generic.remove.definition, { path: join(dir, name) });
      expect(removed.stderr).toContain('something is mounted on or below');
      const before = { existed: false, mode: '0755', uid: 0, gid: 0, made: [] };
      const reverted = await host.run(
        generic.directory.definition.revert!(host, { path: join(dir, name) }, before) as Script,
      );
      expect(reverted.stderr).toContain('something is mounted below');
      mkdirSync(join(dir, 'other'));
      const copied = await perform(host, generic.copy.definition, {
        source: join(dir, 'other'),
        path: join(dir, name),
      });
      expect(copied.stderr).toContain('something is mounted on or below');
      expect(readFileSync(join(data, 'precious'), 'utf8')).toBe('x');
    } finally {
      spawnSync('umount', [over]);
    }
  });
});

/**
 * The guards of what could destroy a machine, with every command that changes anything replaced by one that only speaks:
 * a guard that fails must fail a test, not the machine that runs it.
 */
describe.each(shells)('no link leads to the system, in $name', (variant) => {
  const host = hostOf(variant);
  const stubs = ['rm', 'rmdir', 'mv', 'cp', 'ln', 'mkdir', 'chmod', 'chown', 'find', 'tar', 'unzip'];
  const harmless = stubs.map((name) => `${name}() { echo "CHANGED by ${name} $*"; }`).join('\n');
  const dir = mkdtempSync(join(base, 'guard-'));
  mkdirSync(join(dir, 'source'));
  const safely = async (script: Script) => await host.run({ script: `${harmless}\n${script.script}` });

  const dangers: readonly [string, AnyStep, (path: string) => unknown][] = [
    ['remove', generic.remove.definition, (path) => ({ path })],
    ['copy', generic.copy.definition, (path) => ({ source: join(dir, 'source'), path })],
    ['mode', generic.mode.definition, (path) => ({ path, mode: '0777', directoryMode: '0777', recursive: true })],
  ];
  const targets = ['etc', 'usr/bin', 'home', 'tmp', 'var/lib', 'etc/ssl'].filter((name) => existsSync(`/${name}`));

  test.each(dangers.flatMap(([name, step, want]) => targets.map((target) => [name, target, step, want] as const)))(
    '%s: /%s',
    async (_name, target, step, want) => {
      const link = join(dir, 'way');
      symlinkSync('/', link);
      try {
        const output = await safely(step.apply(host, want(join(link, target)), io) as Script);
        expect(output.stderr).toMatch(/is a directory of the system: it is never removed or replaced/);
        expect(output.code).toBe(1);
        expect(
          output.stdout.split('\n').filter((line) => line.startsWith('CHANGED') && !line.includes('.kubexm-')),
        ).toEqual([]);
      } finally {
        rmSync(link);
      }
    },
  );

  test('a directory of a link to one below the root', async () => {
    const link = join(dir, 'way');
    symlinkSync('/home', link);
    try {
      const output = await safely(
        generic.directory.definition.revert!(
          host,
          { path: join(link, 'somebody') },
          { existed: false, mode: '0755', uid: 0, gid: 0, made: [] },
        ) as Script,
      );
      expect(output.stdout).not.toContain('rm -rf');
    } finally {
      rmSync(link);
    }
  });

  test('the harmless commands do replace the real ones', async () => {
    const victim = join(dir, 'victim');
    mkdirSync(victim);
    writeFileSync(join(victim, 'f'), 'x');
    const output = await safely(generic.remove.definition.apply(host, { path: victim }, io) as Script);
    expect(output.stdout).toBe(`CHANGED by rm -rf -- ${victim}\n`);
    expect(existsSync(join(victim, 'f'))).toBe(true);
  });
});
