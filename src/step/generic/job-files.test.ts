import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { library } from '../../host/lib/index.ts';
import { quote, type Script, sh } from '../../model/script.ts';
import { kubeObjects } from './kube-objects.ts';
import { onceCommand } from './once-command.ts';

const SECRET = 'abcdef.0123456789abcdef';

/** Says with which rights the file is there, and that it holds the secret; then it goes on until it is ended. */
const reading = (file: string): string =>
  `ls -ld "${file}" | cut -c1-10; grep -o ${SECRET} "${file}"; echo said >"${file}.said"; sleep 600`;

const scriptOf = (work: unknown): string => (work as Script).script;

/** The configuration of a join that is ended while kubeadm runs. */
function command() {
  const { apply, revert } = onceCommand.definition;
  const config = { yaml: { token: SECRET } };
  const want = { name: 'kubeadm', purpose: 'join', run: reading('$KX_CONFIG'), undo: ':', traces: [], config };
  return {
    apply: scriptOf(apply({} as never, want, {} as never)),
    revert: scriptOf(revert?.({} as never, want, { traces: [] })),
  };
}

/** Objects, ended while kubectl runs. */
function objects() {
  const { apply, revert } = kubeObjects.definition;
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { token: SECRET } };
  const want = { name: 'a secret', objects: [secret], kubeconfig: '/etc/kubernetes/admin.conf' };
  return {
    apply: `kubectl() { ${reading('$KX_OBJECTS')}; }\n${scriptOf(apply({} as never, want, {} as never))}`,
    revert: `kubectl() { :; }\n${scriptOf(revert?.({} as never, want, { absent: ['Secret s'] }))}`,
  };
}

inEveryShell('secrets of a job', (shell, test) => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-job-files-'));
    await mkdir(join(dir, 'run'));
    await writeFile(join(dir, 'run/lib.test'), library);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** As a host does it, but the job is in the shell that is tried. */
  const LAUNCH = sh`kx_job_launch() {
  setsid ${[shell.file, ...shell.args]} "$KX_RUN/lib.test" job "$1" "$KX_STATE" "$KX_RUN" </dev/null >/dev/null 2>&1 &
}`.script;
  const run = async (script: string): Promise<string> => {
    const places = { state: join(dir, 'state'), run: join(dir, 'run') };
    const { code, stdout, stderr } = await runWithLibrary(shell, `${LAUNCH}\n${script}`, places);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const start = (apply: string) => `kx_job_start j token ${quote(apply)} >/dev/null`;
  const until = (test: string) =>
    `kx_tries=200; until ${test}; do [ $((kx_tries -= 1)) -gt 0 ] || exit 9; sleep 0.05; done`;
  const ENDED = until('[ -s "$KX_RUN/jobs/j/rc" ]');
  const KEPT = '[ -n "$(find "$KX_RUN" -name "*.said")" ]';

  test('nothing of a job whose start was cut off after an end of the cluster', async () => {
    await run(`(mv() { exit; }; ${start('echo secret')}); kx_reset_end - ""; kx_tidy`);
    expect(await readdir(dir)).toEqual([]);
  });

  for (const [name, file, { apply, revert }] of [
    ['the configuration of a command', 'config', command()],
    ['objects of Kubernetes', 'objects', objects()],
  ] as const) {
    test(`${name}: for root alone while it is needed, and nothing of it after TERM, undoing and forgetting`, async () => {
      const said = await run(
        `${start(apply)}; ${until(KEPT)}; kx_job_kill j TERM; ${ENDED}; cat "$KX_RUN/jobs/j/stdout"; kx_job_forget j`,
      );
      expect(said).toBe(`-rw-------\n${SECRET}\n`);
      await run(`(${revert}); kx_tidy`);
      expect(await readdir(dir)).toEqual([]);
    });

    test(`${name}: nothing of it after KILL, and an end of the cluster that never saw the job`, async () => {
      await run(`${start(apply)}; ${until(KEPT)}; kx_job_kill j KILL; ${ENDED}`);
      await run('kx_reset_end - ""; kx_tidy');
      expect(await readdir(dir)).toEqual([]);
    });

    test(`${name}: gone as soon as the command has ended by itself`, async () => {
      await run(`${start(apply.replace('sleep 600', 'exit 3'))}; ${ENDED}`);
      const left = await readdir(join(dir, 'run/jobs/j'));
      expect(left.filter((one) => one === file || one === 'config.said')).toEqual([]);
    });
  }
});
