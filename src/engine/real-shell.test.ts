import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ListJournal, local, Rig, task } from '../../test/rig/engine.ts';
import { localMachine } from '../host/connect.ts';
import type { LinkedMachine } from '../host/machine.ts';
import { LOCAL } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { on, sequence } from '../plan/combinators.ts';
import { defineStep, needed, satisfied } from '../plan/step.ts';
import { jobKey } from './keys.ts';

/** A file with a line, and how its before-image is named: by its path, or by a script that prints it. */
const file = defineStep<{ readonly path: string; readonly text: string; readonly by?: 'script' }>()({
  kind: 'file',
  description: 'a file',
  title: (want) => want.path,
  probe: (want) => sh`cat ${want.path} 2>/dev/null`,
  judge: (seen, want) => (seen.stdout === `${want.text}\n` ? satisfied() : needed(seen.stdout, [{ what: want.path }])),
  apply: (_host, want) => sh`echo ${want.text} >${want.path}`,
  saves: (want) =>
    want.by === 'script'
      ? sh`# both of them, one a line
cat <<'END'
${{ script: want.path }}
END
readlink -f -- ${want.path}.link`
      : [want.path],
  example: { path: '/tmp/x', text: 'x' },
});

const fails = defineStep<object>()({
  kind: 'fails',
  description: 'fails',
  title: () => 'fails',
  apply: () => sh`echo no luck >&2; exit 3`,
  example: {},
});

const job = defineStep<{ readonly path: string; readonly wait: string }>()({
  kind: 'job',
  description: 'a job that waits for a file',
  title: () => 'job',
  once: true,
  probe: (want) => sh`[ -s ${want.path} ] && wc -l <${want.path}`,
  judge: (seen) => (seen.code === 0 ? satisfied(seen.stdout.trim()) : needed(undefined, [{ what: 'job' }])),
  apply: (_host, want) => sh`while [ ! -e ${want.wait} ]; do sleep 0.02; done; echo once >>${want.path}`,
  revert: (_host, want) => sh`rm -f ${want.path}`,
  example: { path: '/tmp/x', wait: '/tmp/y' },
});

/** What the engine sends must be understood by the shell that is really there, not only by the one of the tests. */
describe('over a real shell', () => {
  let dir: string;
  let machine: LinkedMachine;
  let rig: Rig;
  const open = () => localMachine({ stateDir: join(dir, 'state'), runDir: join(dir, 'run'), sudo: false });
  const machines = () => new Map([[LOCAL, machine]]);
  const named = (name: string) => ({ name });

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'kx engine '));
    machine = await open();
    rig = new Rig([]);
  });

  afterEach(async () => {
    await machine.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('before-images named by path and by script are kept and put back', async () => {
    const [one, two] = [join(dir, "one's file"), join(dir, 'two')];
    writeFileSync(one, 'old\n');
    mkdirSync(`${two}.target`);
    symlinkSync(`${two}.target`, `${two}.link`);
    const plan = sequence(
      on(local, file({ path: one, text: 'new' }), named('one')),
      on(local, file({ path: two, text: 'new', by: 'script' }), named('two')),
    );
    const bad = sequence(plan, on(local, fails({}), named('fails')));
    const result = await rig.run(task('m/t', bad), { machines: machines() });
    expect(result.failures).toMatchObject([{ error: { code: 'KX4002', params: { reason: 'exit code 3: no luck' } } }]);
    expect(result.counts).toEqual({ reverted: 2, failed: 1 });
    expect(readFileSync(one, 'utf8')).toBe('old\n');
    expect(existsSync(two)).toBe(false);
    expect(lstatSync(`${two}.target`).isDirectory()).toBe(true);
    // What was put back is no before-image any more.
    expect(existsSync(join(dir, 'state', 'undo'))).toBe(false);
    expect((await rig.run(task('m/t', plan), { machines: machines() })).counts).toEqual({ changed: 2 });
    expect((await rig.run(task('m/t', plan), { machines: machines() })).counts).toEqual({ satisfied: 2 });
  });

  test('a before-image that cannot be kept stops the change', async () => {
    const path = join(dir, 'file');
    writeFileSync(path, 'old\n');
    writeFileSync(join(dir, 'state'), 'in the way');
    const result = await rig.run(task('m/t', on(local, file({ path, text: 'new' }), named('one'))), {
      machines: machines(),
    });
    expect(result.failures).toMatchObject([{ error: { params: { reason: 'its before-image could not be kept' } } }]);
    expect(result.counts).toEqual({ failed: 1 });
    expect(readFileSync(path, 'utf8')).toBe('old\n');
    rmSync(join(dir, 'state'));
  });

  test('a job of a dead kubexm is found by its name and attached to; one that ended, too; one that was killed is not', async () => {
    const plan = (path: string, wait: string) => task('m/t', on(local, job({ path, wait }), named('job')));
    for (const how of ['runs', 'ended', 'killed'] as const) {
      const [path, wait] = [join(dir, `${how}.out`), join(dir, `${how}.wait`)];
      rig.journal = new ListJournal();
      rig.journal.append({ node: 'm/t/job@local', phase: 'intent', attempt: 1 });
      const key = jobKey('r1', 'm/t/job@local', 1);
      // What the dead process had begun.
      const begun = machine.job({
        key,
        script: sh`while [ ! -e ${wait} ]; do sleep 0.02; done; echo once >>${path}`,
        timeoutSeconds: 60,
      });
      begun.catch(() => undefined);
      await vi.waitFor(async () =>
        expect((await machine.run(sh`kx_job_state ${key}; printf %s "$kx_state"`)).stdout).toBe('running'),
      );
      if (how === 'ended') {
        writeFileSync(wait, '');
        await begun;
      }
      if (how === 'killed') {
        await machine.run(sh`kill -s KILL -- -$(cut -d' ' -f1 "$KX_RUN/jobs/${{ script: key }}/pid")`);
        await expect(begun).rejects.toMatchObject({ code: 'KX3040' });
      }
      rig.events = [];
      const running = rig.run(plan(path, wait), { machines: machines(), replay: rig.journal.replay() });
      if (how === 'runs') await vi.waitFor(() => expect(rig.of('node-attached').length).toBe(1));
      writeFileSync(wait, '');
      expect((await running).counts, how).toEqual({ changed: 1 });
      expect(rig.of('node-attached').length).toBe(how === 'killed' ? 0 : 1);
      expect(readFileSync(path, 'utf8'), how).toBe('once\n');
      expect(existsSync(join(dir, 'run', 'jobs')), how).toBe(false);
    }
  });
});
